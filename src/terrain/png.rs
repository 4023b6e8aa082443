//! Heightfields from a 16-bit grey PNG and the TOML file beside it that gives sizes in metres.

use super::heightfield::MAX_SIDE;
use super::{HeightGrid, Heightfield};
use crate::error::{Error, Result};
use serde::Deserialize;
use std::io::Cursor;
use std::path::{Path, PathBuf};

const JACKSBORO_PNG: &[u8] = include_bytes!("../../profiles/terrain/jacksboro.png");
const JACKSBORO_TOML: &str = include_str!("../../profiles/terrain/jacksboro.toml");

/// The TOML file beside a map.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    source: String,
    licence: String,
    columns: i64,
    rows: i64,
    row0: String,
    cell_x_m: f64,
    cell_z_m: f64,
    elevation_offset_m: f64,
    elevation_scale_m_per_unit: f64,
    world_scale: f64,
    #[serde(default = "centre_lowest")]
    anchor: String,
}

fn centre_lowest() -> String {
    "centre-lowest".into()
}

impl Heightfield {
    /// The maps that ship with the library.
    #[must_use]
    pub const fn embedded_names() -> &'static [&'static str] {
        &["jacksboro"]
    }

    /// A map that ships with the library.
    ///
    /// `jacksboro`: 403 x 344 samples, columns 1 m apart and rows 1.24 m, centred on x = z = 0, 0 to 11.26 m high,
    /// slopes to 36 degrees.
    ///
    /// # Errors
    /// [`Error::Name`] for any other name.
    pub fn embedded(name: &str) -> Result<Self> {
        match name {
            "jacksboro" => Self::from_png("jacksboro.png", JACKSBORO_PNG, "jacksboro.toml", JACKSBORO_TOML),
            _ => Err(unknown(name)),
        }
    }

    /// A map from a PNG file and a TOML file of the same stem; `path` is either.
    ///
    /// # Errors
    /// [`Error::Name`] where `path` ends in neither `.png` nor `.toml`; [`Error::File`] where a file cannot be read;
    /// else as [`from_png`](Self::from_png).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (image, metadata) = both_paths(path.as_ref())?;
        let text =
            std::fs::read_to_string(&metadata).map_err(|fault| file_error(&metadata.to_string_lossy(), fault))?;
        let bytes = std::fs::read(&image).map_err(|fault| file_error(&image.to_string_lossy(), fault))?;
        Self::from_png(&image.to_string_lossy(), &bytes, &metadata.to_string_lossy(), &text)
    }

    /// A map from the bytes of a 16-bit grey PNG and the text of its TOML; the file names are for errors alone.
    ///
    /// A pixel is a sample, row 0 is north. Elevation is `elevation_offset_m + elevation_scale_m_per_unit * pixel`;
    /// cells and elevations are multiplied by `world_scale`. `anchor = "centre-lowest"` (the default) puts the middle
    /// of the map at x = z = 0 and its lowest sample at y = 0; `"corner"` puts row 0, column 0 at x = z = 0 and keeps
    /// elevations. Heights are kept relative to the lowest sample.
    ///
    /// # Errors
    /// [`Error::File`] where the TOML does not parse or has an unknown or missing key, and where the PNG is damaged,
    /// truncated, not 16-bit grey, or not `columns` x `rows`; [`Error::Key`] for a value out of its range.
    pub fn from_png(image_file: &str, image: &[u8], toml_file: &str, toml: &str) -> Result<Self> {
        let metadata = Metadata::parse(toml_file, toml)?;
        let pixels = decode(image_file, image, metadata.columns as usize, metadata.rows as usize)?;
        Self::from_heights(metadata.grid(&pixels)).map_err(|error| in_file(toml_file, error))
    }
}

impl Metadata {
    fn parse(file: &str, text: &str) -> Result<Self> {
        let metadata: Self = toml::from_str(text).map_err(|fault| file_error(file, fault))?;
        metadata.check(file)?;
        Ok(metadata)
    }

    fn check(&self, file: &str) -> Result<()> {
        for (key, text) in [("source", &self.source), ("licence", &self.licence)] {
            one_of(file, key, text, !text.trim().is_empty(), "a text that is not empty")?;
        }
        one_of(file, "row0", &self.row0, self.row0 == "north", "north")?;
        let is_anchor = matches!(self.anchor.as_str(), "centre-lowest" | "corner");
        one_of(file, "anchor", &self.anchor, is_anchor, "centre-lowest, corner")?;
        for (key, count) in [("columns", self.columns), ("rows", self.rows)] {
            within(file, key, count, &(2..=MAX_SIDE as i64))?;
        }
        within(file, "cell_x_m", self.cell_x_m, &(1e-3..=1e5))?;
        within(file, "cell_z_m", self.cell_z_m, &(1e-3..=1e5))?;
        within(file, "elevation_offset_m", self.elevation_offset_m, &(-1e6..=1e6))?;
        within(file, "elevation_scale_m_per_unit", self.elevation_scale_m_per_unit, &(1e-9..=1e3))?;
        within(file, "world_scale", self.world_scale, &(1e-6..=1e6))
    }

    /// Sizes in world metres.
    fn grid(&self, pixels: &[u16]) -> HeightGrid {
        let (columns, rows) = (self.columns as usize, self.rows as usize);
        let (cell_x_m, cell_z_m) = (self.cell_x_m * self.world_scale, self.cell_z_m * self.world_scale);
        let lowest = pixels.iter().copied().min().unwrap_or(0);
        let unit_m = self.elevation_scale_m_per_unit * self.world_scale;
        let heights = pixels.iter().map(|&pixel| (f64::from(pixel - lowest) * unit_m) as f32).collect();
        let origin = if self.anchor == "corner" {
            [0.0, self.elevation_offset_m * self.world_scale + f64::from(lowest) * unit_m, 0.0]
        } else {
            [-0.5 * (columns - 1) as f64 * cell_x_m, 0.0, -0.5 * (rows - 1) as f64 * cell_z_m]
        };
        HeightGrid { columns, rows, cell_x_m, cell_z_m, origin, heights, holes: Vec::new() }
    }
}

/// `columns` x `rows` pixels, row 0 first. The header is checked before memory is taken for the pixels.
fn decode(file: &str, bytes: &[u8], columns: usize, rows: usize) -> Result<Vec<u16>> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().map_err(|fault| file_error(file, fault))?;
    let header = reader.info();
    let (color, depth) = (header.color_type, header.bit_depth);
    if (color, depth) != (png::ColorType::Grayscale, png::BitDepth::Sixteen) {
        return Err(file_error(file, format!("{color:?} of {depth:?} bits: allowed is grey of sixteen bits")));
    }
    let (width, height) = (header.width as usize, header.height as usize);
    if (width, height) != (columns, rows) {
        let message = format!("{width} x {height} pixels: allowed is its TOML's columns x rows, {columns} x {rows}");
        return Err(file_error(file, message));
    }
    let mut buffer = vec![0; reader.output_buffer_size().unwrap_or(0)];
    reader.next_frame(&mut buffer).map_err(|fault| file_error(file, fault))?;
    reader.finish().map_err(|fault| file_error(file, fault))?;
    Ok(buffer.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect())
}

/// The PNG's path and the TOML's.
fn both_paths(path: &Path) -> Result<(PathBuf, PathBuf)> {
    let is = |wanted: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted));
    if is("png") {
        Ok((path.to_path_buf(), path.with_extension("toml")))
    } else if is("toml") {
        Ok((path.with_extension("png"), path.to_path_buf()))
    } else {
        Err(unknown(&path.to_string_lossy()))
    }
}

fn unknown(name: &str) -> Error {
    Error::Name { kind: "terrain", name: name.into(), known: Heightfield::embedded_names().join(", ") }
}

fn file_error(file: &str, message: impl std::fmt::Display) -> Error {
    Error::File { file: file.into(), message: message.to_string() }
}

/// What `from_heights` refuses comes from this file's keys.
fn in_file(file: &str, error: Error) -> Error {
    match error {
        Error::Value { field, value, allowed } => {
            Error::Key { file: file.into(), key: format!("{field} (times world_scale)"), value, allowed }
        }
        other => other,
    }
}

fn one_of(file: &str, key: &str, value: &str, is_allowed: bool, allowed: &str) -> Result<()> {
    if is_allowed {
        return Ok(());
    }
    Err(Error::Key { file: file.into(), key: key.into(), value: format!("{value:?}"), allowed: allowed.into() })
}

fn within<T>(file: &str, key: &str, value: T, range: &std::ops::RangeInclusive<T>) -> Result<()>
where
    T: PartialOrd + std::fmt::Display,
{
    // Not contained where it is NaN.
    if range.contains(&value) {
        return Ok(());
    }
    let allowed = format!("{} to {}", range.start(), range.end());
    Err(Error::Key { file: file.into(), key: key.into(), value: value.to_string(), allowed })
}

#[cfg(test)]
#[path = "png_tests.rs"]
mod tests;
