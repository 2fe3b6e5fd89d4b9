//! The page: title, panels side by side, axes or a scale, the key.

use super::camera::Camera;
use super::force::{self, Widths};
use super::ground::Room;
use super::images;
use super::joint;
use super::key;
use super::mark;
use super::paint::{Key, Paint};
use super::panel::Panel;
use super::paper::{Anchor, Paper};
use super::request::Request;
use super::still::Still;
use super::window::{Window, window};
use super::{plane, space};
use crate::plot::short;
use crate::record::Name;

/// Room for one panel and for several together, in pixels.
const ONE: (f64, f64) = (760.0, 620.0);
const SEVERAL: (f64, f64) = (1080.0, 800.0);

/// The smallest panel: a tall thin thing still needs a title.
const SMALLEST: (f64, f64) = (360.0, 160.0);

/// Heights and gaps in pixels.
const TITLE: f64 = 46.0;
const CAPTION: f64 = 22.0;
const GAP: f64 = 14.0;
const FOOT: f64 = 46.0;

/// What a run is drawn with.
#[derive(Debug, Clone, Copy)]
pub struct Company<'a> {
    /// What the bodies are.
    pub bodies: &'a [Name],
    /// 2 or 3.
    pub dimension: usize,
    /// The state the run began with: displacements are seen from there.
    pub first: &'a Still,
}

/// Draws what lies over the bodies of a panel: joints, forces, marks, the outline of the cell.
fn draw_over(
    paper: &mut Paper,
    panel: &Panel,
    camera: &Camera,
    (bodies, still): (&[Name], &Still),
    request: &Request,
    widths: Option<&Widths>,
) {
    joint::draw(paper, panel, camera, &request.joints, still);
    if let Some(widths) = widths {
        let chains = request.chains;
        force::draw(paper, panel, camera, (bodies, still), widths, chains);
    }
    mark::draw(paper, panel, camera, &request.marks);
    images::outline(paper, panel, camera, still);
}

/// Draws bodies at one or several instants as SVG.
pub fn draw(company: &Company<'_>, stills: &[Still], request: &Request) -> String {
    let flat = company.dimension == 2;
    let camera = match flat {
        true => Camera::flat(),
        false => Camera::from(request.view),
    };
    let bodies = company.bodies;
    let paint = Paint::of(bodies, stills, company.first, flat, request);
    let (wrapped, stills) = &images::all(bodies, stills);
    let room = if flat { None } else { Room::of(bodies, stills) };
    let seen = window(bodies, stills, request, &camera, room.as_ref());
    let layout = Layout::of(&seen, stills.len(), flat, &paint.key);
    let alone = flat && stills.len() == 1;
    let (width, height) = layout.page;
    let mut paper = Paper::new(width, height);
    title(&mut paper, width, &heading(request, stills));
    let widths = request
        .forces
        .then(|| force::widths(bodies, stills, layout.scale));
    for (k, (spread, fills)) in wrapped.iter().zip(&paint.fills).enumerate() {
        let still = &spread.still;
        let fills = spread.fills(fills);
        let panel = layout.panel(k);
        if stills.len() > 1 {
            let at = (panel.at.0 + 0.5 * panel.size.0, panel.at.1 - 7.0);
            paper.text(at, 13.0, Anchor::Middle, &format!("t = {}", short(still.t)));
        }
        open(&mut paper, &panel);
        let pale = request.forces || request.pale;
        match flat {
            true => plane::draw(&mut paper, &panel, &spread.bodies, still, &fills, !pale),
            false => {
                let what = (spread.bodies.as_slice(), still, fills.as_slice());
                space::draw(&mut paper, &panel, &camera, what, room.as_ref(), pale);
            }
        }
        let widths = widths.as_ref();
        draw_over(
            &mut paper,
            &panel,
            &camera,
            (bodies, still),
            request,
            widths,
        );
        paper.end();
        frame(&mut paper, &panel, &camera, alone);
    }
    foot(&mut paper, &layout, alone, widths.as_ref());
    key::draw(
        &mut paper,
        &layout.panel(0),
        layout.key_at,
        layout.tall,
        &paint.key,
    );
    paper.finish()
}

fn heading(request: &Request, stills: &[Still]) -> String {
    match stills {
        [one] if !request.timeless => format!("{}, t = {}", request.title, short(one.t)),
        _ => request.title.clone(),
    }
}

fn title(paper: &mut Paper, width: f64, text: &str) {
    // A long title must stay inside the picture: letters are about six tenths as wide as high.
    let letters = text.chars().count().max(1) as f64;
    let size = ((width - 30.0) / (0.6 * letters)).clamp(8.0, 18.0);
    paper.text((0.5 * width, 28.0), size, Anchor::Middle, text);
}

/// Where everything is.
struct Layout {
    page: (f64, f64),
    /// Upper left corner of the first panel.
    at: (f64, f64),
    /// Size of a panel.
    size: (f64, f64),
    columns: usize,
    /// From one panel to the next.
    stride: (f64, f64),
    window: Window,
    scale: f64,
    /// Left end of the key, height of all panels.
    key_at: f64,
    tall: f64,
}

impl Layout {
    fn of(seen: &Window, count: usize, flat: bool, key: &Key) -> Self {
        let count = count.max(1);
        let (room, caption, smallest) = match count {
            1 => (ONE, 0.0, SMALLEST),
            _ => (SEVERAL, CAPTION, (90.0, 60.0)),
        };
        let (w, h) = seen.size();
        // As many columns as make the panels largest.
        let scale_of = |columns: usize| {
            let rows = count.div_ceil(columns) as f64;
            let columns = columns as f64;
            let wide = (room.0 - (columns - 1.0) * GAP) / columns;
            let high = (room.1 - (rows - 1.0) * GAP) / rows - caption;
            (wide / w).min(high / h)
        };
        // Empty places count against it.
        let filled = |columns: usize| count as f64 / (columns * count.div_ceil(columns)) as f64;
        let worth = |columns: usize| scale_of(columns) * filled(columns);
        let best = (1..=count).max_by(|a, b| worth(*a).total_cmp(&worth(*b)));
        let columns = best.unwrap_or(1);
        let scale = scale_of(columns);
        let window = seen.at_least((smallest.0 / scale, smallest.1 / scale));
        let size = (window.size().0 * scale, window.size().1 * scale);
        let rows = count.div_ceil(columns) as f64;
        let stride = (size.0 + GAP, size.1 + GAP + caption);
        let axes = flat && count == 1;
        let at = (if axes { 66.0 } else { 20.0 }, TITLE + caption);
        let wide = columns as f64 * stride.0 - GAP;
        let tall = rows * stride.1 - GAP - caption;
        let key_at = at.0 + wide + 18.0;
        Self {
            page: (key_at + key::width(key), at.1 + tall + FOOT),
            at,
            size,
            columns,
            stride,
            window,
            scale,
            key_at,
            tall,
        }
    }

    fn panel(&self, number: usize) -> Panel {
        let (row, column) = (number / self.columns, number % self.columns);
        Panel {
            at: (
                self.at.0 + column as f64 * self.stride.0,
                self.at.1 + row as f64 * self.stride.1,
            ),
            size: self.size,
            window: self.window,
            scale: self.scale,
            number,
        }
    }
}

/// What is drawn until the group ends stays inside the panel.
fn open(paper: &mut Paper, panel: &Panel) {
    let id = panel.number;
    paper.raw(format_args!("<clipPath id=\"panel{id}\">"));
    paper.rect(panel.at, panel.size, "");
    paper.raw(format_args!("</clipPath>"));
    paper.group(&format!("clip-path=\"url(#panel{id})\""));
}

/// The border, with axes or with a cross of directions.
fn frame(paper: &mut Paper, panel: &Panel, camera: &Camera, axes: bool) {
    let border = " fill=\"none\" stroke=\"#888888\" stroke-width=\"0.8\"";
    paper.rect(panel.at, panel.size, border);
    if axes {
        key::axes(paper, panel);
    } else if *camera != Camera::flat() {
        key::triad(paper, panel, camera);
    }
}

/// Below the panels: a scale where there are no axes, and how wide a force is.
fn foot(paper: &mut Paper, layout: &Layout, axes: bool, widths: Option<&Widths>) {
    let bottom = layout.at.1 + layout.tall;
    let mut x = layout.at.0;
    if !axes {
        x = key::scale_bar(paper, &layout.panel(0), (x, bottom + 18.0));
    } else {
        x += layout.size.0 - 190.0;
    }
    if let Some(widths) = widths {
        let y = if axes { bottom + 38.0 } else { bottom + 22.0 };
        key::force(paper, (x, y), widths);
    }
}
