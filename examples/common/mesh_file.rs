//! Triangles from a file: Wavefront OBJ, STL, PLY and glTF, text or binary, by the ending of its name.
//!
//! What the parsers themselves would take without end is refused before: a count of elements that the file is too short
//! for. Whether the triangles make sense is for the library to say.

#[path = "gltf_file.rs"]
mod gltf_file;

use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use serpentarium::terrain::MeshSource;
use std::fmt::Display;
use std::io::{BufReader, Cursor};
use std::path::Path;

/// Longer files are surely a mistake, and their triangles too many.
const MAX_BYTES: u64 = 1 << 30;

/// Why a file gave no triangles; printed it is one line, with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshFileError {
    file: String,
    why: String,
}

impl Display for MeshFileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = self.why.split_whitespace().collect();
        write!(formatter, "{}: {}", self.file, words.join(" "))
    }
}

impl std::error::Error for MeshFileError {}

/// Whether a name ends as one of the files that [`read`] takes.
pub fn is_mesh_file(path: &Path) -> bool {
    ending(path).is_some_and(|ending| ["obj", "stl", "ply", "gltf", "glb"].contains(&ending.as_str()))
}

/// The triangles of a file, as they are in it: metres from the origin, polygons cut into fans.
pub fn read(path: &Path) -> Result<MeshSource, MeshFileError> {
    let fault = |why: String| MeshFileError { file: path.display().to_string(), why };
    let bytes = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?.len();
    if bytes > MAX_BYTES {
        return Err(fault(format!("{bytes} bytes: allowed are {MAX_BYTES}")));
    }
    let bytes = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
    parse_in(&ending(path).unwrap_or_default(), &bytes, path.parent()).map_err(fault)
}

/// The triangles in the bytes of a file with this ending, which must not need other files.
#[allow(dead_code)] // Of the tests.
pub fn parse(ending: &str, bytes: &[u8]) -> Result<MeshSource, String> {
    parse_in(ending, bytes, None)
}

fn parse_in(ending: &str, bytes: &[u8], folder: Option<&Path>) -> Result<MeshSource, String> {
    let source = match ending {
        "obj" => obj(bytes),
        "stl" => stl(bytes),
        "ply" => ply(bytes),
        "gltf" | "glb" => gltf_file::parse(bytes, folder),
        other => return Err(format!("a file named .{other}: allowed are .obj, .stl, .ply, .gltf and .glb")),
    }?;
    if source.indices.is_empty() { Err("no triangles in it".into()) } else { Ok(source) }
}

fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

fn obj(bytes: &[u8]) -> Result<MeshSource, String> {
    let options = tobj::LoadOptions { triangulate: true, single_index: true, ignore_points: true, ignore_lines: true };
    // Materials have nothing to say about collisions.
    let (models, _) =
        tobj::load_obj_buf(&mut BufReader::new(bytes), &options, |_| Err(tobj::LoadError::OpenFileFailed))
            .map_err(|error| error.to_string())?;
    let mut source = MeshSource::default();
    let mut normals = Vec::new();
    for tobj::Model { mesh, .. } in models {
        let first = source.positions.len();
        source.positions.extend(mesh.positions.as_chunks::<3>().0);
        let mut given = mesh.normals.as_chunks::<3>().0.to_vec();
        // One that is no normal is shaded flat.
        given.resize(mesh.positions.len() / 3, [0.0; 3]);
        normals.extend(given);
        for &triangle in mesh.indices.as_chunks::<3>().0 {
            source.indices.push(corners(triangle.map(u64::from), first)?);
        }
    }
    source.normals = normals.iter().any(|normal| *normal != [0.0; 3]).then_some(normals);
    Ok(source)
}

fn stl(bytes: &[u8]) -> Result<MeshSource, String> {
    let mut cursor = Cursor::new(bytes);
    let triangles = stl_io::create_stl_reader(&mut cursor).map_err(|error| error.to_string())?;
    let mut source = MeshSource::default();
    for triangle in triangles {
        let triangle = triangle.map_err(|error| error.to_string())?;
        let first = source.positions.len();
        source.positions.extend(triangle.vertices.map(|vertex| vertex.0));
        source.indices.push(corners([0, 1, 2], first)?);
    }
    Ok(source)
}

fn ply(bytes: &[u8]) -> Result<MeshSource, String> {
    let parser = Parser::<DefaultElement>::new();
    let mut reader = Cursor::new(bytes);
    let header = parser.read_header(&mut reader).map_err(|error| error.to_string())?;
    for element in header.elements.values() {
        // Each takes a byte at least, but one without properties, which would be read without end.
        if element.properties.is_empty() || element.count as u64 > bytes.len() as u64 {
            return Err(format!("{} x {}: more than the file has room for", element.count, element.name));
        }
    }
    let payload = parser.read_payload(&mut reader, &header).map_err(|error| error.to_string())?;
    let mut source = MeshSource::default();
    let vertices = payload.get("vertex").ok_or("no element vertex")?;
    for vertex in vertices {
        source.positions.push(numbers(vertex, ["x", "y", "z"]).ok_or("a vertex without x, y and z")?);
    }
    let normals: Option<Vec<_>> = vertices.iter().map(|vertex| numbers(vertex, ["nx", "ny", "nz"])).collect();
    source.normals = normals;
    for face in payload.get("face").ok_or("no element face")? {
        let list = face.get("vertex_indices").or_else(|| face.get("vertex_index")).and_then(whole_numbers);
        let list = list.ok_or("a face without a list of whole vertex_indices")?;
        for pair in list.windows(2).skip(1) {
            source.indices.push(corners([list[0], pair[0], pair[1]], 0)?);
        }
    }
    Ok(source)
}

fn corners(triangle: [u64; 3], first: usize) -> Result<[u32; 3], String> {
    let mut corners = [0; 3];
    for (corner, index) in corners.iter_mut().zip(triangle) {
        *corner =
            u32::try_from(index.saturating_add(first as u64)).map_err(|_| format!("index {index} is too large"))?;
    }
    Ok(corners)
}

fn numbers(element: &DefaultElement, names: [&str; 3]) -> Option<[f32; 3]> {
    let mut found = [0.0; 3];
    for (number, name) in found.iter_mut().zip(names) {
        *number = match *element.get(name)? {
            Property::Float(value) => value,
            Property::Double(value) => value as f32,
            Property::Int(value) => value as f32,
            Property::UInt(value) => value as f32,
            Property::Short(value) => f32::from(value),
            Property::UShort(value) => f32::from(value),
            Property::Char(value) => f32::from(value),
            Property::UChar(value) => f32::from(value),
            _ => return None,
        };
    }
    Some(found)
}

fn whole_numbers(property: &Property) -> Option<Vec<u64>> {
    let signed = |value: i64| u64::try_from(value).ok();
    match property {
        Property::ListInt(list) => list.iter().map(|&value| signed(value.into())).collect(),
        Property::ListShort(list) => list.iter().map(|&value| signed(value.into())).collect(),
        Property::ListChar(list) => list.iter().map(|&value| signed(value.into())).collect(),
        Property::ListUInt(list) => Some(list.iter().map(|&value| value.into()).collect()),
        Property::ListUShort(list) => Some(list.iter().map(|&value| value.into()).collect()),
        Property::ListUChar(list) => Some(list.iter().map(|&value| value.into()).collect()),
        _ => None,
    }
}
