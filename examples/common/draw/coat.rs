//! What the serpents wear: muted colours that differ from one to the next, and the marks of their kind.

use super::paint::{Rgb, mix, scale, scatter, smoothstep};

/// The marks along a back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Marks {
    /// Dark bars on the flanks, a pale collar: a grass snake.
    Bars,
    /// One dark zigzag down the back: a viper.
    Zigzag,
    /// Rounded blotches with a light heart: a python.
    Saddles,
    /// Wide bands: a sea serpent.
    Bands,
    /// Fine rings and a saddle: a worm.
    Rings,
}

/// One creature's colours.
#[derive(Clone, Copy, Debug)]
pub struct Coat {
    marks: Marks,
    back: Rgb,
    dark: Rgb,
    belly: Rgb,
    collar: Rgb,
}

/// Back, marks, belly edge.
const PALETTE: [[Rgb; 3]; 9] = [
    [[0.45, 0.49, 0.33], [0.16, 0.18, 0.12], [0.80, 0.80, 0.62]],
    [[0.52, 0.44, 0.30], [0.20, 0.15, 0.10], [0.84, 0.76, 0.60]],
    [[0.36, 0.43, 0.44], [0.12, 0.15, 0.17], [0.74, 0.77, 0.73]],
    [[0.57, 0.37, 0.26], [0.25, 0.12, 0.08], [0.86, 0.72, 0.57]],
    [[0.31, 0.40, 0.33], [0.09, 0.14, 0.11], [0.68, 0.74, 0.60]],
    [[0.47, 0.34, 0.38], [0.19, 0.11, 0.15], [0.80, 0.70, 0.68]],
    [[0.62, 0.53, 0.35], [0.28, 0.20, 0.11], [0.88, 0.82, 0.65]],
    [[0.30, 0.34, 0.45], [0.10, 0.12, 0.19], [0.70, 0.72, 0.76]],
    [[0.27, 0.25, 0.23], [0.09, 0.08, 0.08], [0.62, 0.58, 0.52]],
];

impl Coat {
    /// The coat of a creature by its number, with the marks of its species.
    pub fn of(species: &str, number: usize) -> Self {
        let pick = |salt: u64| scatter(number as i64, 0, salt);
        let [back, dark, belly] = PALETTE[(pick(11) * PALETTE.len() as f32) as usize % PALETTE.len()];
        let marks = match species {
            "viper" => Marks::Zigzag,
            "python" => Marks::Saddles,
            "sea-serpent" => Marks::Bands,
            "worm" => Marks::Rings,
            _ => Marks::Bars,
        };
        let back = if marks == Marks::Rings { mix(back, [0.72, 0.46, 0.42], 0.7) } else { back };
        let shade = 0.9 + 0.2 * pick(12);
        let collar = mix([0.90, 0.78, 0.42], [0.90, 0.86, 0.74], pick(13));
        Self { marks, back: scale(back, shade), dark, belly, collar }
    }

    /// One colour for a creature too small to show marks.
    pub fn plain(&self) -> Rgb {
        scale(mix(self.back, self.dark, 0.3), 0.85)
    }

    /// A worm has neither eyes nor a tongue.
    pub fn has_eyes(&self) -> bool {
        self.marks != Marks::Rings
    }

    pub fn dark(&self) -> Rgb {
        self.dark
    }

    /// At `arc` in girths from the front, `across` from -1 to 1, `along` from 0 to 1.
    pub fn body(&self, arc: f32, across: f32, along: f32) -> Rgb {
        let flank = mix(self.back, self.belly, 0.75 * smoothstep(0.70, 0.92, across.abs()));
        let mark = self.mark(arc, across, along);
        let marked = mix(flank, self.dark, 0.85 * mark * smoothstep(0.0, 2.0, arc));
        let shine = if self.marks == Marks::Rings { 1.0 } else { scales(arc, across) };
        scale(self.collared(marked, arc, across), shine)
    }

    pub fn head(&self, across: f32) -> Rgb {
        mix(scale(self.back, 0.92), self.belly, 0.55 * smoothstep(0.80, 0.95, across.abs()))
    }

    /// How dark the marks are at a place, 0 to 1.
    fn mark(&self, arc: f32, across: f32, along: f32) -> f32 {
        match self.marks {
            Marks::Bars => bars(arc, across),
            Marks::Zigzag => {
                let swing = 0.42 * (4.0 * ((arc / 4.4).fract() - 0.5).abs() - 1.0);
                1.0 - smoothstep(0.20, 0.34, (across - swing).abs())
            }
            Marks::Saddles => saddles(arc, across),
            Marks::Bands => 1.0 - smoothstep(0.20, 0.26, ((arc / 6.0).fract() - 0.5).abs()),
            Marks::Rings => {
                let saddle = smoothstep(0.24, 0.25, along) * (1.0 - smoothstep(0.32, 0.33, along));
                0.22 * (0.5 + 0.5 * (arc * 6.0).sin()) + 0.25 * saddle
            }
        }
    }

    /// The pale crescents behind a grass snake's head, and the dark ones behind those.
    fn collared(&self, colour: Rgb, arc: f32, across: f32) -> Rgb {
        if self.marks != Marks::Bars || arc > 4.5 {
            return colour;
        }
        let side = smoothstep(0.10, 0.34, across.abs());
        let pale = smoothstep(0.1, 0.4, arc) * (1.0 - smoothstep(1.5, 1.9, arc)) * side;
        let black = smoothstep(1.6, 2.0, arc) * (1.0 - smoothstep(3.0, 3.6, arc)) * side;
        mix(mix(colour, self.dark, 0.9 * black), self.collar, 0.95 * pale)
    }
}

/// Bars on the flanks, the left ones between the right ones, and two rows of small spots on the back.
fn bars(arc: f32, across: f32) -> f32 {
    let shift = if across < 0.0 { 0.5 } else { 0.0 };
    let place = ((arc / 2.7 + shift).fract() - 0.5).abs();
    let bar = (1.0 - smoothstep(0.14, 0.24, place)) * smoothstep(0.34, 0.50, across.abs());
    let spot = ((arc / 2.7 + shift + 0.5).fract() - 0.5) * 2.7;
    let spots = 1.0 - smoothstep(0.18, 0.34, spot.hypot((across.abs() - 0.26) * 1.2));
    bar.max(0.8 * spots)
}

fn saddles(arc: f32, across: f32) -> f32 {
    let place = ((arc / 4.2).fract() - 0.5) * 4.2;
    let ring = (place / 1.7).hypot(across / 0.78);
    let heart = 1.0 - smoothstep(0.30, 0.48, ring);
    (1.0 - smoothstep(0.86, 1.0, ring)) * (1.0 - 0.65 * heart)
}

/// A slight lattice of scales: brightness at a place.
fn scales(arc: f32, across: f32) -> f32 {
    let round = across.clamp(-1.0, 1.0).asin();
    let (u, v) = (arc * 5.0, round * 6.0);
    1.0 + 0.06 * ((u + v).sin() * (u - v).sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_colours_everywhere() {
        for species in ["grass-snake", "viper", "python", "sea-serpent", "worm", "own.toml"] {
            for step in 0..400 {
                let coat = Coat::of(species, step);
                let at = step as f32 / 400.0;
                let shades = [coat.body(40.0 * at, 2.0 * at - 1.0, at), coat.head(2.0 * at - 1.0), coat.plain()];
                assert!(shades.iter().flatten().all(|c| (0.0..=1.1).contains(c)), "{species} {step}: {shades:?}");
            }
        }
    }
}
