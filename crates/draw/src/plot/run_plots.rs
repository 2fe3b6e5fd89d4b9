//! The plots and pictures of a run directory, by name.

use percuss_record::{PlotError, Record};
use percuss_run::Threads;
use percuss_scene::{Plot, PlotKind, Scene, SceneKind};

use super::body_paths::TRAJECTORY;
use super::fabric::{self, FABRIC};
use super::figure::Figure;
use super::histogram::{self, FORCES};
use super::options::{PlotOptions, SCALES};
use super::{
    bodies_plots, body_paths as path, column_pair as pair, declared, draw, moving_set as moving,
    profiles, standard, study, superposed,
};
use crate::axis::Scale;
use crate::drawing::{self, Theme};
use crate::picture::{RunPictures, draw_rose};

/// Name of the drawing of a mechanism.
const DRAWING: &str = "drawing";

/// The plots and pictures of a run directory.
#[derive(Debug)]
pub struct RunPlots<'a> {
    record: &'a Record,
    /// The scene of the manifest; `None` for a study.
    scene: Option<Scene>,
    options: PlotOptions,
}

impl<'a> RunPlots<'a> {
    /// The plots of a run or a study.
    ///
    /// # Errors
    /// The scene's text in the manifest is invalid (it was altered, or a newer version wrote it).
    pub fn of(record: &'a Record) -> Result<Self, PlotError> {
        let manifest = record.manifest();
        let scene = match manifest.kind.as_str() {
            "study" => None,
            _ => {
                let overrides = manifest.overrides.iter();
                let set: Vec<_> = overrides.map(|o| (&*o.key, &*o.value)).collect();
                let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?;
                Some(scene.with_overrides(&set)?)
            }
        };
        Ok(Self {
            record,
            scene,
            options: PlotOptions::default(),
        })
    }

    /// The same with plot options.
    #[must_use]
    pub fn with_options(mut self, wish: PlotOptions) -> Self {
        self.options = wish;
        self
    }

    /// Names and titles of the plots: those that the scene declares first.
    ///
    /// # Errors
    /// The manifest lacks a table.
    pub fn list(&self) -> Result<Vec<(String, String)>, PlotError> {
        let Some(scene) = &self.scene else {
            return study::list(self.record);
        };
        // Declared plots come first and hide standard ones of the same name.
        let declared = scene.plots().iter().map(|plot| {
            let title = plot
                .title
                .clone()
                .unwrap_or_else(|| "declared by the scene".into());
            (plot.name.clone(), title)
        });
        let mut all: Vec<(String, String)> = declared.collect();
        let bodies = scene.kind() == SceneKind::Bodies;
        let standard = match bodies {
            true => bodies_plots::STANDARD,
            false => standard::STANDARD,
        };
        // Pictures, profiles and distributions of bodies.
        if bodies {
            let pictures = RunPictures::new(self.record, scene).list();
            all.extend(pictures);
            all.extend(profiles::list(scene));
        }
        if moving::shows(scene) && all.iter().all(|(known, _)| known != moving::NAME) {
            all.push((moving::NAME.into(), moving::TITLE.into()));
        }
        if drawing::has_drawing(scene) && all.iter().all(|(known, _)| known != DRAWING) {
            all.push((DRAWING.into(), "the mechanism at an instant".into()));
        }
        // Standard plots; the convergence plot only where orders were measured.
        for (name, title) in standard {
            let there = name != standard::ORDERS || standard::has_orders(self.record);
            if there && all.iter().all(|(known, _)| known != name) {
                all.push((name.into(), title.into()));
            }
        }
        if bodies {
            return Ok(all);
        }
        // A phase portrait for every coordinate.
        for name in standard::coordinates(self.record)? {
            let title = format!("{name}_dot over {name}");
            all.push((format!("{}{name}", standard::PHASE), title));
        }
        Ok(all)
    }

    /// Patterns of further names, such as `histogram:TABLE:COLUMN`, with their description.
    pub fn name_patterns(&self) -> Vec<(String, String)> {
        let tables = self.record.manifest().tables.iter();
        let tables: Vec<&str> = tables.map(|t| t.name.as_str()).collect();
        let text = |name: &str, title: String| (name.to_string(), title);
        let mut all = Vec::new();
        if self.is_bodies() {
            all.push(text(
                "trajectory:NAME,NAME",
                "paths of bodies by name or number".into(),
            ));
            all.push(text(
                "phase:NAME.x",
                "velocity over coordinate of a body".into(),
            ));
        }
        let of = tables.join(", ");
        all.push(text("TABLE:X:Y", format!("two columns of a table: {of}")));
        all.push(text(
            "histogram:TABLE:COLUMN",
            "how often values occur".into(),
        ));
        let scene = self.scene.as_ref();
        if scene.is_some_and(|s| s.kind() == SceneKind::Mechanism && drawing::has_drawing(s)) {
            all.push(text(
                "drawing:T,T,...",
                "the mechanism at several instants in one picture; drawing:FROM..TO/N at N of them"
                    .into(),
            ));
        }
        all
    }

    fn is_bodies(&self) -> bool {
        let scene = self.scene.as_ref();
        scene.is_some_and(|scene| scene.kind() == SceneKind::Bodies)
    }

    /// The plot or picture with this name, as SVG.
    ///
    /// # Errors
    /// The name is unknown, there is nothing to show, or the data cannot be read or a case cannot be run.
    pub fn svg(
        &self,
        name: &str,
        threads: Threads,
        note: &mut dyn FnMut(&str),
    ) -> Result<String, PlotError> {
        // Pictures of bodies and the rose diagram are SVG without a figure.
        if let Some(scene) = self
            .scene
            .as_ref()
            .filter(|s| s.kind() == SceneKind::Bodies)
            && scene.plots().iter().all(|plot| plot.name != name)
        {
            if let Some(text) = RunPictures::new(self.record, scene).svg(name)? {
                self.options.require(name, &[])?;
                return Ok(text);
            }
            let (word, time) = timed(name);
            if word == FABRIC {
                let wish = self.options.at_time(name, time)?;
                return Ok(draw_rose(&fabric::rose(self.record, name, &wish)?));
            }
        }
        if let Some(text) = self.drawing(name)? {
            return Ok(text);
        }
        let figure = self.figure(name, threads, note)?;
        draw::svg(&figure).map_err(PlotError::Drawing)
    }

    /// The mechanism at an instant, by default the end; `None` for another name.
    fn drawing(&self, name: &str) -> Result<Option<String>, PlotError> {
        let (word, time) = timed(name);
        if let Some((scene, plot)) = self.declared_drawing(name) {
            self.options.require(name, &[])?;
            return superposed::declared(self.record, scene, plot).map(Some);
        }
        let Some(scene) = self.scene.as_ref().filter(|_| word == DRAWING) else {
            return Ok(None);
        };
        let declared = scene.plots().iter().any(|plot| plot.name == name);
        if declared || scene.kind() == SceneKind::Bodies {
            return Ok(None);
        }
        if !drawing::has_drawing(scene) {
            let none = "the scene declares no [[drawing]]: nothing says what it looks like";
            return Err(PlotError::Unknown(none.into()));
        }
        // Several instants in one picture.
        if let Some(several) = time.filter(|text| superposed::is_several(text)) {
            self.options.require(name, &[])?;
            return superposed::named(self.record, name, several).map(Some);
        }
        let wish = self.options.at_time(name, time)?;
        wish.require(name, &["--at"])?;
        let at = wish.at.unwrap_or(f64::INFINITY);
        let text = drawing::svg(self.record, at, draw::SIZE, Theme::Light)?;
        let empty = || PlotError::Nothing("no state was recorded: there is nothing to draw".into());
        text.ok_or_else(empty).map(Some)
    }

    /// The plot of this name, if the scene declares it as a drawing at several instants.
    fn declared_drawing(&self, name: &str) -> Option<(&Scene, &Plot)> {
        let scene = self.scene.as_ref()?;
        let plot = scene.plots().iter().find(|p| p.name == name)?;
        (plot.kind == PlotKind::Drawing).then_some((scene, plot))
    }

    /// The plot with this name, as data.
    ///
    /// # Errors
    /// The name is unknown, there is nothing to show, or the data cannot be read or a case cannot be run.
    pub fn figure(
        &self,
        name: &str,
        threads: Threads,
        note: &mut dyn FnMut(&str),
    ) -> Result<Figure, PlotError> {
        if self.declared_drawing(name).is_some() {
            let drawn = format!("the plot `{name}` is a drawing: it has a picture and no data");
            return Err(PlotError::Unknown(drawn));
        }
        // A declared plot, a plot of a study, a standard plot, or columns of a table.
        let declared = self.scene.as_ref().and_then(|scene| {
            let plot = scene.plots().iter().find(|p| p.name == name)?;
            Some((scene, plot))
        });
        let figure = match (declared, &self.scene) {
            (Some((scene, plot)), _) => {
                self.options.require(name, &SCALES)?;
                Some(declared::figure(self.record, scene, plot, threads, note)?)
            }
            (None, None) => match study::figure(self.record, name, &self.options)? {
                None => self.of_tables(name)?,
                found => found,
            },
            (None, Some(scene)) => match self.named(scene, name)? {
                None => self.of_tables(name)?,
                found => {
                    self.options.require(name, supported_options(name))?;
                    found
                }
            },
        };
        // Logarithmic axes by option.
        let mut figure = figure.ok_or_else(|| self.unknown(name))?;
        if self.options.log_x {
            figure.x_scale = Scale::Log;
        }
        if self.options.log_y {
            figure.y_scale = Scale::Log;
        }
        // An equal aspect ratio has no meaning on logarithmic axes.
        figure.equal_aspect &= !(self.options.log_x || self.options.log_y);
        if figure.is_empty() {
            let empty = format!("the plot `{name}` has nothing to show in this run");
            return Err(PlotError::Nothing(empty));
        }
        Ok(figure)
    }

    /// The standard plots.
    fn named(&self, scene: &Scene, name: &str) -> Result<Option<Figure>, PlotError> {
        if scene.kind() == SceneKind::Mechanism {
            return match moving::figure(self.record, scene, name)? {
                None => standard::figure(self.record, name),
                found => Ok(found),
            };
        }
        let (word, time) = timed(name);
        if word == FORCES {
            let wish = self.options.at_time(name, time)?;
            return histogram::forces(self.record, &wish).map(Some);
        }
        if let Some(names) = name.strip_prefix(TRAJECTORY) {
            return path::trajectory(self.record, names).map(Some);
        }
        if let Some(name) = name.strip_prefix(standard::PHASE) {
            return path::phase(self.record, name).map(Some);
        }
        match profiles::figure(self.record, scene, name)? {
            None => bodies_plots::figure(self.record, name),
            found => Ok(found),
        }
    }

    /// Plots of table columns: `histogram:TABLE:COLUMN` and `TABLE:X:Y`.
    fn of_tables(&self, name: &str) -> Result<Option<Figure>, PlotError> {
        let parts: Vec<&str> = name.splitn(3, ':').collect();
        match parts.as_slice() {
            ["histogram", table, column] => {
                self.options.require(name, &histogram::HEEDED)?;
                histogram::figure(self.record, table, column, &self.options).map(Some)
            }
            [table, x, y] => {
                self.options.require(name, &pair::HEEDED)?;
                pair::figure(self.record, table, (x, y), &self.options).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn unknown(&self, name: &str) -> PlotError {
        let known: Vec<String> = self
            .list()
            .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|p| p.0).collect());
        let guess = match percuss_expr::similar_names(name, &known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        };
        let forms: Vec<String> = self
            .name_patterns()
            .into_iter()
            .map(|form| form.0)
            .collect();
        PlotError::Unknown(format!(
            "there is no plot `{name}`{guess} (there is {}, and {})",
            known.join(", "),
            forms.join(", ")
        ))
    }
}

/// Splits a name from the time after its colon.
fn timed(name: &str) -> (&str, Option<&str>) {
    match name.split_once(':') {
        Some((word, time)) => (word, Some(time)),
        None => (name, None),
    }
}

/// Options supported by the plot with this name.
fn supported_options(name: &str) -> &'static [&'static str] {
    match timed(name).0 {
        FORCES => &histogram::HEEDED,
        _ => &SCALES,
    }
}
