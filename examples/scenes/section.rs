//! The ground cut along a body, seen from the side at true scale.

use crate::draw::paint::{Rgb, blend, mix, opaque, scatter};
use crate::draw::view::View;
use serpentarium::Terrain;
use serpentarium::terrain::{Part, TriangleMesh};
use std::sync::Arc;
use tiny_skia::Pixmap;

const SKY: [Rgb; 2] = [[0.83, 0.89, 0.92], [0.95, 0.95, 0.92]];
const SOIL: Rgb = [0.66, 0.56, 0.44];
const TURF: Rgb = [0.38, 0.42, 0.24];
const STONE: Rgb = [0.60, 0.58, 0.55];
const STONE_RIM: Rgb = [0.34, 0.33, 0.32];
/// More surfaces than these above one place are not looked for.
const MOST_SURFACES: usize = 32;

/// One ground and what is inside it.
pub struct Layer {
    terrain: Terrain,
    offset: [f64; 3],
    is_stone: bool,
}

/// The parts of a terrain. A mesh with a border is a floor, and drawn as the surface of soil; one without is stone.
pub fn layers(terrain: &Terrain) -> Vec<Layer> {
    let is_closed = |mesh: &Arc<TriangleMesh>| mesh.report().border_edges == 0;
    match terrain {
        Terrain::Set(set) => {
            let layer = |(_, part, offset): (_, &Part, _)| match part {
                Part::Plane(plane) => Layer { terrain: (*plane).into(), offset, is_stone: false },
                Part::Heightfield(field) => {
                    Layer { terrain: Terrain::Heightfield(field.clone()), offset, is_stone: false }
                }
                Part::Mesh(mesh) => Layer { terrain: Terrain::Mesh(mesh.clone()), offset, is_stone: is_closed(mesh) },
            };
            set.parts().map(layer).collect()
        }
        Terrain::Mesh(mesh) => {
            vec![Layer { terrain: terrain.clone(), offset: [0.0; 3], is_stone: is_closed(mesh) }]
        }
        _ => vec![Layer { terrain: terrain.clone(), offset: [0.0; 3], is_stone: false }],
    }
}

impl Layer {
    /// From where to where it is filled at a place, from the top.
    fn spans(&self, [x, z]: [f64; 2]) -> Vec<[f64; 2]> {
        let surfaces = self.surfaces([x - self.offset[0], z - self.offset[2]]);
        let surfaces: Vec<f64> = surfaces.into_iter().map(|height| height + self.offset[1]).collect();
        if self.is_stone {
            return surfaces.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        }
        surfaces.last().map(|floor| [*floor, f64::NEG_INFINITY]).into_iter().collect()
    }

    fn surfaces(&self, [x, z]: [f64; 2]) -> Vec<f64> {
        let (mut found, mut below): (Vec<f64>, f64) = (Vec::new(), f64::INFINITY);
        while let Some(ground) = self.terrain.sample_under(x, below, z) {
            // What is solid is found again from below.
            if found.len() == MOST_SURFACES || found.last().is_some_and(|last| ground.height_m >= *last) {
                break;
            }
            found.push(ground.height_m);
            below = ground.height_m - 1e-5;
        }
        found
    }
}

/// Paints sky and ground; `place` gives the x and z that are cut at a coordinate along the picture.
pub fn paint(pixmap: &mut Pixmap, view: &View, layers: &[Layer], place: impl Fn(f64) -> [f64; 2]) {
    let [width, height] = view.size_px.map(|pixels| pixels as usize);
    for row in 0..height {
        let sky = opaque(mix(SKY[0], SKY[1], row as f32 / height as f32));
        pixmap.pixels_mut()[row * width..(row + 1) * width].fill(sky);
    }
    for column in 0..width {
        let at = place(view.corner_m[0] + (column as f64 + 0.5) / view.px_per_m);
        for layer in layers {
            let [fill, rim] = if layer.is_stone { [STONE, STONE_RIM] } else { [SOIL, TURF] };
            for [top, bottom] in layer.spans(at) {
                // Heights are -y in the view.
                let [top, bottom] = [top, bottom].map(|y| ((-y - view.corner_m[1]) * view.px_per_m) as f32);
                let first = top.floor().clamp(0.0, height as f32) as usize;
                let last = bottom.ceil().clamp(0.0, height as f32) as usize;
                for row in first..last {
                    let inside = (row as f32 + 1.0 - top).min(bottom - row as f32).clamp(0.0, 1.0);
                    let near = (row as f32 + 0.5 - top).min(bottom - row as f32 - 0.5);
                    let grain = 0.03 * (scatter(column as i64, row as i64, 51) - 0.5);
                    let colour = mix(rim, fill, (near / 5.0).clamp(0.0, 1.0)).map(|channel| channel + grain);
                    blend(&mut pixmap.pixels_mut()[row * width + column], colour, inside);
                }
            }
        }
    }
}
