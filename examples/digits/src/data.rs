//! The digits: read, checked and split.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use csv::ByteRecord;
use flate2::read::MultiGzDecoder;
use thiserror::Error;

/// Pixels of an image, 8 rows of 8.
pub(crate) const PIXELS: usize = 64;
/// The digits 0 to 9.
pub(crate) const CLASSES: usize = 10;

/// How much ink a pixel can have.
const INK: u8 = 16;
const ROWS: usize = 1797;
/// Rows to train on, the first ones; the others are for the test. See `data/README.md`.
const TRAIN_ROWS: usize = 1437;

static EMBEDDED: &[u8] = include_bytes!("../data/digits.csv.gz");

/// Images with their classes, for training and for the test.
#[derive(Debug)]
pub(crate) struct Digits {
    pub(crate) train: Samples,
    pub(crate) test: Samples,
}

/// Images with their classes.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Pixels from 0 to 1, image after image, row after row.
    pub(crate) images: Vec<f32>,
    /// The class of each image.
    pub(crate) labels: Vec<i32>,
}

/// Data that cannot be trained on.
#[derive(Debug, Error)]
#[error("{file}{}: {reason}", place(*row, *column))]
pub(crate) struct DigitsError {
    file: String,
    row: Option<usize>,
    column: Option<usize>,
    reason: String,
}

impl Digits {
    /// The digits in a file, or those that this program carries.
    pub(crate) fn load(file: Option<&Path>) -> Result<Self, DigitsError> {
        let Some(path) = file else { return Self::read("data/digits.csv.gz", EMBEDDED) };
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::read(&name, file),
            Err(error) => Err(DigitsError { file: name, row: None, column: None, reason: error.to_string() }),
        }
    }

    /// The digits in gzipped CSV; `name` is what errors call it.
    fn read(name: &str, gzip: impl Read) -> Result<Self, DigitsError> {
        let fail = |row, column, reason| Err(DigitsError { file: name.to_owned(), row, column, reason });
        let text = MultiGzDecoder::new(io::BufReader::new(gzip));
        let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut digits = Self { train: Samples::default(), test: Samples::default() };
        let mut record = ByteRecord::new();
        let mut count = 0;
        loop {
            let row = count + 1;
            match rows.read_byte_record(&mut record) {
                Ok(false) => break,
                Ok(true) if row > ROWS => {
                    return fail(Some(row), None, format!("{ROWS} rows are expected, but there are more"));
                }
                Ok(true) => {}
                Err(error) => return fail(Some(row), None, unreadable(&error)),
            }
            let samples = if count < TRAIN_ROWS { &mut digits.train } else { &mut digits.test };
            if let Err((column, reason)) = samples.push(&record) {
                return fail(Some(row), column, reason);
            }
            count = row;
        }
        match count {
            ROWS => Ok(digits),
            _ => fail(None, None, format!("{ROWS} rows are expected, but there are {count}")),
        }
    }
}

impl Samples {
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Adds a row, or says in which column it is wrong, counted from 1, and why.
    fn push(&mut self, row: &ByteRecord) -> Result<(), (Option<usize>, String)> {
        if row.len() != PIXELS + 1 {
            return Err((None, format!("{} columns are expected, but there are {}", PIXELS + 1, row.len())));
        }
        for (column, field) in (1..).zip(row) {
            let is_pixel = column <= PIXELS;
            let max = if is_pixel { INK } else { CLASSES as u8 - 1 };
            let value = integer(field, max).map_err(|reason| (Some(column), reason))?;
            if is_pixel {
                self.images.push(f32::from(value) / f32::from(INK));
            } else {
                self.labels.push(value.into());
            }
        }
        Ok(())
    }
}

/// The integer from 0 to `max` in a field.
fn integer(field: &[u8], max: u8) -> Result<u8, String> {
    let text = String::from_utf8_lossy(field);
    match text.trim().parse() {
        Ok(value) if value <= max => Ok(value),
        _ => Err(format!("`{}` is not an integer from 0 to {max}", text.escape_debug())),
    }
}

/// What stopped the reading, without the prefixes that `csv` puts before it.
fn unreadable(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the file is truncated: its compressed data ends too early".to_owned()
        }
        csv::ErrorKind::Io(error) => format!("the file is no intact gzip file: {error}"),
        _ => error.to_string(),
    }
}

fn place(row: Option<usize>, column: Option<usize>) -> String {
    let part = |name, number: Option<usize>| number.map(|number| format!(", {name} {number}"));
    [part("row", row), part("column", column)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    /// The whole file as text, which a test then spoils.
    fn text() -> String {
        let mut text = String::new();
        MultiGzDecoder::new(EMBEDDED).read_to_string(&mut text).unwrap();
        text
    }

    /// The error for a file in which `spoil` changed the fields of row 3.
    fn error_with_row_3(spoil: impl FnOnce(&mut Vec<String>)) -> String {
        let mut rows: Vec<String> = text().lines().map(str::to_owned).collect();
        let mut fields = rows[2].split(',').map(str::to_owned).collect();
        spoil(&mut fields);
        rows[2] = fields.join(",");
        error(&rows)
    }

    fn error(rows: &[String]) -> String {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all((rows.join("\n") + "\n").as_bytes()).unwrap();
        Digits::read("x.csv.gz", &*gzip.finish().unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn the_embedded_digits_are_those_of_their_readme() {
        let Digits { train, test } = Digits::load(None).unwrap();
        assert_eq!((train.len(), train.images.len()), (1437, 1437 * 64));
        assert_eq!((test.len(), test.images.len()), (360, 360 * 64));
        for (samples, counts) in [(&train, 141..=146), (&test, 33..=37)] {
            for class in 0..10 {
                let count = samples.labels.iter().filter(|&&label| label == class).count();
                assert!(counts.contains(&count), "{count} images of {class}");
            }
            assert!(samples.images.iter().all(|pixel| (0.0..=1.0).contains(pixel)));
        }
    }

    #[test]
    fn a_wrong_value_is_named_with_its_row_and_column() {
        for text in ["NaN", "17", "-1", "3.5", "", "1e1", "inf"] {
            let error = error_with_row_3(|fields| text.clone_into(&mut fields[4]));
            assert_eq!(error, format!("x.csv.gz, row 3, column 5: `{text}` is not an integer from 0 to 16"));
        }
        let error = error_with_row_3(|fields| "10".clone_into(&mut fields[64]));
        assert_eq!(error, "x.csv.gz, row 3, column 65: `10` is not an integer from 0 to 9");
    }

    #[test]
    fn a_wrong_number_of_columns_is_named_with_its_row() {
        let short = error_with_row_3(|fields| fields.truncate(64));
        assert_eq!(short, "x.csv.gz, row 3: 65 columns are expected, but there are 64");
        let long = error_with_row_3(|fields| fields.push("0".to_owned()));
        assert_eq!(long, "x.csv.gz, row 3: 65 columns are expected, but there are 66");
    }

    #[test]
    fn a_wrong_number_of_rows_is_refused() {
        let mut rows: Vec<String> = text().lines().map(str::to_owned).collect();
        assert_eq!(error(&rows[..1500]), "x.csv.gz: 1797 rows are expected, but there are 1500");
        rows.push(rows[0].clone());
        assert_eq!(error(&rows), "x.csv.gz, row 1798: 1797 rows are expected, but there are more");
    }

    #[test]
    fn a_truncated_file_is_refused_wherever_it_ends() {
        let ends = (0..EMBEDDED.len()).step_by(997).chain([EMBEDDED.len() - 8, EMBEDDED.len() - 1]);
        for end in ends {
            let error = Digits::read("x.csv.gz", &EMBEDDED[..end]).unwrap_err().to_string();
            assert!(error.starts_with("x.csv.gz, row "), "{end}: {error}");
            assert!(
                error.ends_with(": the file is truncated: its compressed data ends too early"),
                "{end}: {error}"
            );
        }
    }

    #[test]
    fn damaged_and_plain_files_are_refused() {
        let mut damaged = EMBEDDED.to_vec();
        damaged[30_000] ^= 1;
        for bytes in [&damaged, text().as_bytes()] {
            let error = Digits::read("x.csv.gz", bytes).unwrap_err().to_string();
            assert!(error.starts_with("x.csv.gz, row "), "{error}");
        }
    }
}
