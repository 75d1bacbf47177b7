//! The two pictures, as SVG whose text the viewer sets in a font of its own.

use std::error::Error;

use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::{data::CLASSES, metrics::Confusion, train::Epoch};

type PlotResult<T> = Result<T, Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const FONT: &str = "sans-serif";
const TRAIN: RGBColor = RGBColor(0x1f, 0x77, 0xb4);
const TEST: RGBColor = RGBColor(0xd6, 0x5f, 0x0e);

/// The losses over the epochs, on a logarithmic scale.
pub(crate) fn loss(history: &[Epoch]) -> PlotResult<String> {
    draw((800, 500), |area| {
        let losses = || history.iter().flat_map(|epoch| [epoch.train_loss, epoch.test_loss]);
        // A loss can round to 0, which has no place on a logarithmic scale. Two powers of ten at least are labelled.
        let low = losses().fold(0.1, f64::min).max(1e-9) / 1.3;
        let high = losses().fold(1.0, f64::max) * 1.3;
        let mut chart = ChartBuilder::on(area)
            .caption("Loss on the digits", (FONT, 24))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(0..history.len(), (low..high).log_scale())?;
        // Without the noise of the powers that the axis is computed with, as in 0.6000000000000001.
        let label = |loss: &f64| ((loss * 1e9).round() / 1e9).to_string();
        chart
            .configure_mesh()
            .y_label_formatter(&label)
            .x_desc("epoch")
            .y_desc("mean cross-entropy")
            .label_style((FONT, 15))
            .axis_desc_style((FONT, 17))
            .bold_line_style(BLACK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let train = history.iter().map(|epoch| (epoch.number, epoch.train_loss.max(low)));
        let test = history.iter().map(|epoch| (epoch.number, epoch.test_loss.max(low)));
        let key =
            |color: RGBColor| move |(x, y)| PathElement::new([(x, y), (x + 24, y)], color.stroke_width(2));
        // A line through one point would not be seen.
        let dot = if history.len() == 1 { 4 } else { 0 };
        let line = LineSeries::new(train, TRAIN.filled().stroke_width(2)).point_size(dot);
        chart.draw_series(line)?.label("train, mean over the epoch").legend(key(TRAIN));
        let line = LineSeries::new(test, TEST.filled().stroke_width(2)).point_size(dot);
        chart.draw_series(line)?.label("test, after the epoch").legend(key(TEST));
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerLeft)
            .legend_area_size(32)
            .label_font((FONT, 16))
            .background_style(WHITE)
            .border_style(BLACK.mix(0.3))
            .draw()?;
        Ok(())
    })
}

/// How many test images of each class were taken for which, as a table in shades of blue.
pub(crate) fn confusion(confusion: &Confusion) -> PlotResult<String> {
    draw((640, 660), |area| {
        let (first, last) = (-0.5, CLASSES as f64 - 0.5);
        let mut chart = ChartBuilder::on(area)
            .caption(
                format!("{:.1} % of the test digits recognised", confusion.accuracy() * 100.0),
                (FONT, 24),
            )
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(56)
            // The first class is at the top.
            .build_cartesian_2d(first..last, last..first)?;
        let class = |class: &f64| format!("{class:.0}");
        chart
            .configure_mesh()
            .disable_mesh()
            .x_labels(CLASSES)
            .y_labels(CLASSES)
            .x_label_formatter(&class)
            .y_label_formatter(&class)
            .x_desc("taken for")
            .y_desc("digit")
            .label_style((FONT, 16))
            .axis_desc_style((FONT, 17))
            .draw()?;
        let cells = || (0..CLASSES * CLASSES).map(|i| (i / CLASSES, i % CLASSES));
        chart.draw_series(cells().map(|(class, taken_for)| {
            let (x, y) = (taken_for as f64, class as f64);
            let share = confusion.counts[class][taken_for] as f64 / confusion.images(class).max(1) as f64;
            Rectangle::new([(x - 0.49, y - 0.49), (x + 0.49, y + 0.49)], shade(share).filled())
        }))?;
        let counted = cells().filter(|&(class, taken_for)| confusion.counts[class][taken_for] > 0);
        chart.draw_series(counted.map(|(class, taken_for)| {
            let color = if class == taken_for { WHITE } else { BLACK };
            let style = (FONT, 17).into_font().color(&color).pos(Pos::new(HPos::Center, VPos::Center));
            Text::new(confusion.counts[class][taken_for].to_string(), (taken_for as f64, class as f64), style)
        }))?;
        Ok(())
    })
}

/// From almost white to blue. The root keeps single mistakes visible beside dozens of hits.
fn shade(share: f64) -> RGBColor {
    let part = |from: f64, to: u8| (from + (f64::from(to) - from) * share.sqrt()) as u8;
    RGBColor(part(246.0, TRAIN.0), part(248.0, TRAIN.1), part(250.0, TRAIN.2))
}

/// The SVG that `paint` draws on white.
fn draw(size: (u32, u32), paint: impl FnOnce(&Area<'_>) -> PlotResult<()>) -> PlotResult<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    paint(&area)?;
    area.present()?;
    // The area borrows the string until it is gone.
    drop(area);
    Ok(svg)
}
