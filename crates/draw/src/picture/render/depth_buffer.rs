//! Depth buffer: depth, normal and body of the nearest surface at every sample.

/// Body index of a sample that no surface covers.
pub(super) const NOTHING: u32 = u32::MAX;

/// A vector in screen axes: right, down, towards the viewer; lengths in samples.
pub(super) type Vector = [f64; 3];

/// Scale of a normal component stored as a 16-bit integer.
const FINE: f64 = 32767.0;

/// Depth, normal and body index at the samples of a rectangle.
#[derive(Debug)]
pub(super) struct DepthBuffer {
    pub wide: usize,
    pub high: usize,
    /// Depth in samples, larger is nearer; −∞ where there is no surface.
    pub depth: Vec<f32>,
    /// Components of the normal to the right and down; the third is positive and follows. Empty in a depth-only
    /// buffer.
    normals: Vec<[i16; 2]>,
    /// Index of the body. Empty in a depth-only buffer.
    body_ids: Vec<u32>,
}

impl DepthBuffer {
    /// With normals and body indices.
    pub(super) fn new(wide: usize, high: usize) -> Self {
        Self {
            normals: vec![[0; 2]; wide * high],
            body_ids: vec![NOTHING; wide * high],
            ..Self::depth_only(wide, high)
        }
    }

    /// Depth only: a shadow map.
    pub(super) fn depth_only(wide: usize, high: usize) -> Self {
        Self {
            wide,
            high,
            depth: vec![f32::NEG_INFINITY; wide * high],
            normals: Vec::new(),
            body_ids: Vec::new(),
        }
    }

    /// Body index at a sample.
    pub(super) fn body_at(&self, at: usize) -> u32 {
        self.body_ids.get(at).copied().unwrap_or(NOTHING)
    }

    /// The unit normal at a sample.
    pub(super) fn normal(&self, at: usize) -> Vector {
        let [x, y] = self.normals.get(at).copied().unwrap_or([0; 2]);
        let (x, y) = (f64::from(x) / FINE, f64::from(y) / FINE);
        [x, y, (1.0 - x * x - y * y).max(0.0).sqrt()]
    }

    /// Rasterises a surface inside a box: `meet` gives depth and unit normal at the centre of a sample. `most`
    /// is the largest depth of the surface: samples that are nearer already are skipped without calling `meet`.
    pub(super) fn rasterize(
        &mut self,
        (low, high): ([f64; 2], [f64; 2]),
        most: f64,
        owner: u32,
        meet: impl Fn(f64, f64) -> Option<(f64, Vector)>,
    ) {
        // Samples whose centres lie inside the box.
        let range = |low: f64, high: f64, count: usize| {
            let first = (low - 0.5).ceil().max(0.0) as usize;
            first..((high + 0.5).floor().max(0.0) as usize).min(count)
        };
        if !(low[0] <= high[0] && low[1] <= high[1]) {
            return;
        }
        let most = most as f32;
        for row in range(low[1], high[1], self.high) {
            for column in range(low[0], high[0], self.wide) {
                let at = row * self.wide + column;
                // Early rejection: something nearer than the whole surface is already there.
                if self.depth[at] > most {
                    continue;
                }
                let Some((near, normal)) = meet(column as f64 + 0.5, row as f64 + 0.5) else {
                    continue;
                };
                let near = near as f32;
                // Depth test.
                if near > self.depth[at] {
                    self.depth[at] = near;
                    if let (Some(slope), Some(whose)) =
                        (self.normals.get_mut(at), self.body_ids.get_mut(at))
                    {
                        *slope = [normal[0], normal[1]].map(|x| (x * FINE).round() as i16);
                        *whose = owner;
                    }
                }
            }
        }
    }
}
