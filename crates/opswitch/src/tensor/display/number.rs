//! One number as NumPy 2.4 prints it, alone or beside others.
//!
//! Digits are the fewest that tell a number from its neighbours in its type, and in an array no more than
//! [`PRECISION`] after the point, rounded half to even (NumPy's `floatmode="maxprec"`).

use opswitch_core::{DType, Element, Elements, for_elements};

/// How many digits an array shows after the point.
const PRECISION: usize = 8;

/// The one way in which every number of an array is printed.
pub(super) enum Format {
    /// Right-aligned in this width.
    Whole { width: usize },
    /// Aligned at the point.
    Float(FloatFormat),
}

/// How the floats of an array are aligned at the point.
pub(super) struct FloatFormat {
    /// Columns before the point.
    before: usize,
    /// Digits after the point.
    fraction: usize,
    /// Digits in the exponent, if there are exponents.
    exponent: Option<usize>,
}

impl Format {
    /// The format for an array in which the elements at `shown` are shown.
    pub(super) fn new(elements: &Elements, shown: &[usize]) -> Self {
        if elements.dtype().is_float() {
            return for_elements!(elements, |values: E| {
                let shown: Vec<E> = shown.iter().map(|&position| values[position]).collect();
                Self::Float(FloatFormat::new(&shown))
            });
        }
        let least = if elements.dtype() == DType::Bool { "False".len() } else { 0 };
        let widths = shown.iter().map(|&position| whole_text(elements, position).len());
        Self::Whole { width: widths.fold(least, usize::max) }
    }

    /// The text of one element, as wide as every other.
    pub(super) fn text(&self, elements: &Elements, position: usize) -> String {
        match self {
            Self::Whole { width } => format!("{:>width$}", whole_text(elements, position)),
            Self::Float(format) => for_elements!(elements, |values: E| format.text(values[position])),
        }
    }
}

impl FloatFormat {
    fn new<E: Element>(shown: &[E]) -> Self {
        let (finite, special): (Vec<E>, Vec<E>) = shown.iter().partition(|x| x.to_f64().is_finite());
        let mut format = if needs_exponent(&finite) {
            Self::scientific(&finite)
        } else {
            let (before, fraction) = widths(finite.iter().map(|&x| short_positional(x, PRECISION)));
            Self { before, fraction, exponent: None }
        };
        // NaN and infinities stand at the right end of the columns.
        let special = special.iter().map(|x| special_text(x.to_f64()).len());
        format.before =
            special.fold(format.before, |before, width| before.max(width.saturating_sub(format.after())));
        format
    }

    fn scientific<E: Element>(finite: &[E]) -> Self {
        let parts: Vec<_> = finite.iter().map(|&x| short_scientific(x)).collect();
        let (before, fraction) = widths(parts.iter().map(|(mantissa, _)| mantissa.clone()));
        let exponent = if parts.iter().any(|(_, exponent)| exponent.abs() >= 100) { 3 } else { 2 };
        Self { before, fraction, exponent: Some(exponent) }
    }

    /// The columns from the point on: digits, and `e` with a sign and an exponent.
    fn after(&self) -> usize {
        1 + self.fraction + self.exponent.map_or(0, |digits| 2 + digits)
    }

    fn text<E: Element>(&self, value: E) -> String {
        let (x, columns) = (value.to_f64(), self.before + self.after());
        if !x.is_finite() {
            return format!("{:>columns$}", special_text(x));
        }
        let text = match self.exponent {
            Some(digits) => {
                let (mantissa, exponent) = long_scientific(value, self.fraction);
                exponent_text(&with_point(mantissa), exponent, digits)
            }
            None => short_positional(value, PRECISION),
        };
        let padding = text.find('.').map_or(0, |point| self.before.saturating_sub(point));
        format!("{:padding$}{text:<1$}", "", columns - padding)
    }
}

/// The text of an array without dimensions, which NumPy prints as it prints the scalar.
pub(super) fn scalar_text(elements: &Elements) -> String {
    if !elements.dtype().is_float() {
        return whole_text(elements, 0);
    }
    for_elements!(elements, |values: E| scalar_float_text(values[0]))
}

fn scalar_float_text<E: Element>(value: E) -> String {
    let x = value.to_f64();
    let limit = if E::DTYPE == DType::F64 { 1e16 } else { decimal_limit(E::DTYPE) };
    if !x.is_finite() {
        special_text(x).to_owned()
    } else if x == 0.0 || (1e-4..limit).contains(&x.abs()) {
        let text = short_positional(value, usize::MAX);
        if text.ends_with('.') { text + "0" } else { text }
    } else {
        let (mantissa, exponent) = shortest(value);
        exponent_text(&mantissa, exponent, 2)
    }
}

fn whole_text(elements: &Elements, position: usize) -> String {
    match elements {
        Elements::Bool(values) => if values[position] { "True" } else { "False" }.to_owned(),
        elements => for_elements!(elements, |values: E| values[position].to_string()),
    }
}

fn special_text(value: f64) -> &'static str {
    if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

/// The power of ten from which numbers have an exponent: 10 to the number of digits that the type always keeps, up to 8.
fn decimal_limit(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 1e2,
        DType::F16 => 1e3,
        DType::F32 => 1e6,
        _ => 1e8,
    }
}

/// Whether an array is printed with exponents. NumPy compares in the element type.
fn needs_exponent<E: Element>(finite: &[E]) -> bool {
    let magnitudes = finite.iter().map(|x| x.to_f64().abs()).filter(|&x| x != 0.0);
    let (least, greatest) =
        magnitudes.fold((f64::INFINITY, 0.0_f64), |(least, greatest), x| (least.min(x), greatest.max(x)));
    let rounded = |x: f64| E::from_f64(x).to_f64();
    greatest > 0.0
        && (greatest >= decimal_limit(E::DTYPE)
            || least < rounded(0.0001)
            || rounded(greatest / least) > 1000.0)
}

/// The columns before the point and after it that the texts need.
fn widths(texts: impl Iterator<Item = String>) -> (usize, usize) {
    texts.fold((0, 0), |(before, after), text| {
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        (before.max(whole.len()), after.max(fraction.len()))
    })
}

/// The number with a point and at most `precision` digits after it, without zeros at the end.
fn short_positional<E: Element>(value: E, precision: usize) -> String {
    let (mantissa, exponent) = shortest(value);
    let fraction = fraction_digits(&mantissa) - i64::from(exponent);
    if fraction > precision.try_into().unwrap_or(i64::MAX) {
        let rounded = with_point(format!("{:.precision$}", value.to_f64()));
        return rounded.trim_end_matches('0').to_owned();
    }
    shift_point(&mantissa, exponent)
}

/// The mantissa, with at most [`PRECISION`] digits after the point and without zeros at the end, and the exponent.
fn short_scientific<E: Element>(value: E) -> (String, i32) {
    let (mantissa, exponent) = shortest(value);
    if fraction_digits(&mantissa) <= PRECISION as i64 {
        return (mantissa, exponent);
    }
    let (mantissa, exponent) = split_exponent(&format!("{:.PRECISION$e}", value.to_f64()));
    (mantissa.trim_end_matches('0').to_owned(), exponent)
}

/// The mantissa with this many digits after the point, and the exponent. Digits beyond the fewest that are needed are those
/// of the exact value.
fn long_scientific<E: Element>(value: E, digits: usize) -> (String, i32) {
    let (mantissa, exponent) = shortest(value);
    if fraction_digits(&mantissa) == digits as i64 {
        return (mantissa, exponent);
    }
    split_exponent(&format!("{:.digits$e}", value.to_f64()))
}

/// The fewest digits that tell the number from its neighbours, as a mantissa such as `-1.25`, and the exponent.
fn shortest<E: Element>(value: E) -> (String, i32) {
    let x = value.to_f64();
    let text = match E::DTYPE {
        DType::F64 => halves_to_even(value, format!("{x:e}")),
        DType::F32 => halves_to_even(value, format!("{:e}", x as f32)),
        // The standard library has no 16-bit floats. Five digits tell any two of them apart.
        _ => (0..5).find_map(|digits| with_digits(value, digits)).unwrap_or_else(|| format!("{x:e}")),
    };
    split_exponent(&text)
}

/// The shortest text of the standard library, which rounds halves up, with halves rounded to even where that is the same
/// number.
fn halves_to_even<E: Element>(value: E, text: String) -> String {
    let digits = fraction_digits(&split_exponent(&text).0) as usize;
    let even = format!("{:.digits$e}", value.to_f64());
    if reads_as(&even, value) { even } else { text }
}

/// The number with so many digits after the point, if they tell it from its neighbours: rounded to nearest, or else away
/// from 0, since the neighbours of a power of two are closer on the side of 0.
fn with_digits<E: Element>(value: E, digits: usize) -> Option<String> {
    let x = value.to_f64();
    let nearest = format!("{x:.digits$e}");
    if reads_as(&nearest, value) {
        return Some(nearest);
    }
    let unit = 10_f64.powi(split_exponent(&nearest).1 - digits as i32).copysign(x);
    let next = format!("{:.digits$e}", nearest.parse::<f64>().ok()? + unit);
    reads_as(&next, value).then_some(next)
}

fn reads_as<E: Element>(text: &str, value: E) -> bool {
    text.parse().is_ok_and(|parsed| E::from_f64(parsed) == value)
}

/// `-1.25e-3` as `-1.25` and -3.
fn split_exponent(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// The digits after the point.
fn fraction_digits(mantissa: &str) -> i64 {
    mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i64)
}

/// `-1.25` and 1 as `-12.5`; there is always a point.
fn shift_point(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let Ok(whole) = usize::try_from(exponent + 1) else {
        return format!("{sign}0.{}{digits}", "0".repeat((-1 - exponent) as usize));
    };
    match digits.split_at_checked(whole) {
        Some(("", fraction)) => format!("{sign}0.{fraction}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits:0<whole$}."),
    }
}

fn with_point(digits: String) -> String {
    if digits.contains('.') { digits } else { digits + "." }
}

/// `-1.25` and -3 as `-1.25e-03`.
fn exponent_text(mantissa: &str, exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0digits$}", exponent.unsigned_abs())
}
