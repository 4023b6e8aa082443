//! Triangles of a glTF 2.0 file, `.gltf` or `.glb`: the triangles, strips and fans of all meshes that the scene shows,
//! where its nodes have them. Materials, skins and morph targets have nothing to say about ground. Compressed, quantised
//! and sparse data are refused by name. Format: Khronos, glTF 2.0 specification, chapters 3 and 4.

use glam::{Mat4, Quat, Vec3};
use serde::Deserialize;
use serpentarium::terrain::MeshSource;
use std::collections::BTreeMap;
use std::path::Path;

/// Positions and triangles beyond which a file is surely a mistake: the library's own limit.
const MOST: usize = 1 << 24;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Document {
    buffers: Vec<Buffer>,
    buffer_views: Vec<View>,
    accessors: Vec<Accessor>,
    meshes: Vec<Mesh>,
    nodes: Vec<Node>,
    scenes: Vec<Scene>,
    scene: usize,
}

#[derive(Deserialize)]
struct Buffer {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: String,
    sparse: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Mesh {
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: BTreeMap<String, usize>,
    indices: Option<usize>,
    mode: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Node {
    children: Vec<usize>,
    mesh: Option<usize>,
    matrix: Option<[f32; 16]>,
    translation: Option<[f32; 3]>,
    rotation: Option<[f32; 4]>,
    scale: Option<[f32; 3]>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Scene {
    nodes: Vec<usize>,
}

impl Node {
    fn local(&self) -> Mat4 {
        let turn = self.rotation.map_or(Quat::IDENTITY, Quat::from_array);
        let scale = self.scale.map_or(Vec3::ONE, Vec3::from);
        let parts = Mat4::from_scale_rotation_translation(scale, turn, self.translation.unwrap_or_default().into());
        self.matrix.map_or(parts, |columns| Mat4::from_cols_array(&columns))
    }
}

/// The triangles in the bytes of a file; buffers beside it are read from its folder, and refused without one.
pub fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<MeshSource, String> {
    let (text, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let mut buffers = Vec::new();
    for buffer in &document.buffers {
        buffers.push(match &buffer.uri {
            Some(uri) => resource(uri, folder)?,
            None => binary.ok_or("a buffer without data")?.to_vec(),
        });
    }
    let reader = Reader { document: &document, buffers };
    let mut source = MeshSource::default();
    for (mesh, placed) in placed_meshes(&document)? {
        let mesh = document.meshes.get(mesh).ok_or_else(|| format!("no mesh {mesh}"))?;
        for primitive in &mesh.primitives {
            reader.add(primitive, placed, &mut source)?;
        }
    }
    Ok(source)
}

/// The two chunks of a binary file: the document, and what its first buffer holds.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4).ok_or("the file ends early")?;
        Ok::<usize, String>(u32::from_le_bytes([four[0], four[1], four[2], four[3]]) as usize)
    };
    if number(4)? != 2 {
        return Err(format!("glTF version {}: allowed is 2", number(4)?));
    }
    let (mut at, mut found) = (12, Vec::new());
    while at + 8 <= bytes.len() && found.len() < 2 {
        let end = number(at)?.saturating_add(at + 8);
        found.push((number(at + 4)?, bytes.get(at + 8..end).ok_or("the file ends early")?));
        at = end;
    }
    let chunk = |kind: usize| found.iter().find(|(known, _)| *known == kind).map(|(_, data)| *data);
    Ok((chunk(0x4E4F_534A).ok_or("no JSON chunk")?, chunk(0x004E_4942)))
}

fn resource(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, text) = data.split_once(";base64,").ok_or("a data URI that is not base64")?;
        return base64(text);
    }
    let file = folder.ok_or_else(|| format!("a buffer in another file, {uri}"))?.join(uri);
    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

fn base64(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err("base64 with other letters".into()),
        };
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    Ok(bytes)
}

/// The meshes that the scene shows and where, each node once: a file whose nodes go round in a circle is refused.
fn placed_meshes(document: &Document) -> Result<Vec<(usize, Mat4)>, String> {
    if document.nodes.is_empty() {
        return Ok((0..document.meshes.len()).map(|mesh| (mesh, Mat4::IDENTITY)).collect());
    }
    let roots = match document.scenes.get(document.scene) {
        Some(scene) => scene.nodes.clone(),
        None => {
            let mut is_child = vec![false; document.nodes.len()];
            let children = document.nodes.iter().flat_map(|node| &node.children);
            children.for_each(|&child| is_child.get_mut(child).into_iter().for_each(|is| *is = true));
            (0..is_child.len()).filter(|&node| !is_child[node]).collect()
        }
    };
    let mut waiting: Vec<_> = roots.into_iter().map(|node| (node, Mat4::IDENTITY)).collect();
    let mut seen = vec![false; document.nodes.len()];
    let mut placed = Vec::new();
    while let Some((index, parent)) = waiting.pop() {
        let node = document.nodes.get(index).ok_or_else(|| format!("no node {index}"))?;
        if std::mem::replace(&mut seen[index], true) {
            return Err(format!("node {index} has two parents"));
        }
        let place = parent * node.local();
        placed.extend(node.mesh.map(|mesh| (mesh, place)));
        waiting.extend(node.children.iter().map(|&child| (child, place)));
    }
    Ok(placed)
}

/// A document with the bytes that it speaks of.
struct Reader<'a> {
    document: &'a Document,
    buffers: Vec<Vec<u8>>,
}

impl Reader<'_> {
    fn add(&self, primitive: &Primitive, place: Mat4, source: &mut MeshSource) -> Result<(), String> {
        let mode = primitive.mode.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            // Points and lines.
            return Ok(());
        }
        let accessor = *primitive.attributes.get("POSITION").ok_or("a primitive without POSITION")?;
        let [first, count] = [source.positions.len(), self.accessor(accessor)?.count];
        if first + count > MOST {
            return Err(format!("over {MOST} positions"));
        }
        for element in self.elements(accessor, "VEC3", &[5126])? {
            let [x, y, z] = [0, 4, 8].map(|at| float(&element[at..]));
            source.positions.push(place.transform_point3(Vec3::new(x, y, z)).to_array());
        }
        let corners: Vec<usize> = match primitive.indices {
            Some(indices) => self.elements(indices, "SCALAR", &[5121, 5123, 5125])?.map(whole).collect(),
            None => (0..count).collect(),
        };
        let mut triangle = |corners: [usize; 3]| {
            if corners.iter().any(|corner| *corner >= count) {
                return Err(format!("an index beyond {count} positions"));
            }
            source.indices.push(corners.map(|corner| (first + corner) as u32));
            Ok(())
        };
        match mode {
            4 => corners.chunks_exact(3).try_for_each(|c| triangle([c[0], c[1], c[2]])),
            5 => corners.windows(3).try_for_each(|c| triangle([c[0], c[1], c[2]])),
            _ => corners.windows(2).skip(1).try_for_each(|c| triangle([corners[0], c[0], c[1]])),
        }
    }

    fn accessor(&self, index: usize) -> Result<&Accessor, String> {
        self.document.accessors.get(index).ok_or_else(|| format!("no accessor {index}"))
    }

    /// The elements of an accessor, whose bytes are all there.
    fn elements(&self, index: usize, kind: &str, types: &[u32]) -> Result<impl Iterator<Item = &[u8]>, String> {
        let accessor = self.accessor(index)?;
        if accessor.kind != kind || !types.contains(&accessor.component_type) || accessor.sparse.is_some() {
            let Accessor { kind, component_type, .. } = accessor;
            return Err(format!("accessor {index}: {kind} of {component_type}, sparse, or both, is not read"));
        }
        let bytes = match accessor.component_type {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let size = if kind == "VEC3" { 3 * bytes } else { bytes };
        let view = accessor.buffer_view.and_then(|view| self.document.buffer_views.get(view));
        let view = view.ok_or_else(|| format!("accessor {index} has no data: compressed, perhaps"))?;
        let data = self.buffers.get(view.buffer);
        let data = data.and_then(|data| data.get(view.byte_offset..view.byte_offset.checked_add(view.byte_length)?));
        let data = data.and_then(|data| data.get(accessor.byte_offset..));
        let stride = view.byte_stride.unwrap_or(size).max(size);
        let needed = accessor.count.saturating_sub(1).saturating_mul(stride).saturating_add(size);
        let data = data.filter(|data| accessor.count == 0 || needed <= data.len());
        let data = data.ok_or_else(|| format!("accessor {index} is beyond its buffer"))?;
        Ok((0..accessor.count).map(move |i| &data[i * stride..i * stride + size]))
    }
}

fn float(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}
