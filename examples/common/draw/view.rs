//! A window on the world seen from above: +X to the right, +Z down, so that north is up.

#[derive(Clone, Copy, Debug)]
pub struct View {
    /// x and z at the upper left corner.
    pub corner_m: [f64; 2],
    pub px_per_m: f64,
    pub size_px: [u32; 2],
}

impl View {
    /// A view whose middle shows a place.
    pub fn around(centre_m: [f64; 2], px_per_m: f64, size_px: [u32; 2]) -> Self {
        let half = |i: usize| 0.5 * f64::from(size_px[i]) / px_per_m;
        Self { corner_m: [centre_m[0] - half(0), centre_m[1] - half(1)], px_per_m, size_px }
    }

    pub fn size_m(&self) -> [f64; 2] {
        self.size_px.map(|pixels| f64::from(pixels) / self.px_per_m)
    }

    /// The world's place at a pixel coordinate.
    pub fn world(&self, [px, py]: [f64; 2]) -> [f64; 2] {
        [self.corner_m[0] + px / self.px_per_m, self.corner_m[1] + py / self.px_per_m]
    }

    pub fn pixel(&self, x: f64, z: f64) -> [f32; 2] {
        [((x - self.corner_m[0]) * self.px_per_m) as f32, ((z - self.corner_m[1]) * self.px_per_m) as f32]
    }

    /// Whether a ball around a place can be seen.
    pub fn sees(&self, [x, _, z]: [f64; 3], radius_m: f64) -> bool {
        let size = self.size_m();
        let inside = |at: f64, corner: f64, extent: f64| at > corner - radius_m && at < corner + extent + radius_m;
        inside(x, self.corner_m[0], size[0]) && inside(z, self.corner_m[1], size[1])
    }

    /// Moves the view onto an area, where it is not larger than that.
    pub fn kept_within(mut self, corner_m: [f64; 2], area_m: [f64; 2]) -> Self {
        let size = self.size_m();
        for i in 0..2 {
            let room = area_m[i] - size[i];
            self.corner_m[i] = match room > 0.0 {
                true => self.corner_m[i].clamp(corner_m[i], corner_m[i] + room),
                false => corner_m[i] + 0.5 * room,
            };
        }
        self
    }
}
