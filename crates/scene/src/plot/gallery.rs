//! The pictures of a run directory, by name.

use thiserror::Error;

use super::collection;
use super::declared;
use super::draw;
use super::figure::{Figure, Mark, Series};
use super::moving;
use super::standard;
use super::survey;
use crate::error::SceneError;
use crate::file::{Kind, Scene};
use crate::finding::Threads;
use crate::picture::Album;
use crate::record::{Record, RecordError, Type, VARIED};

/// Why a picture cannot be had.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The scene in the manifest is not right.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A name that is none.
    #[error("{0}")]
    Unknown(String),
    /// There is nothing to show.
    #[error("{0}")]
    Nothing(String),
    /// The drawing library refuses.
    #[error("cannot draw the picture: {0}")]
    Drawing(String),
}

/// The pictures of a run directory.
#[derive(Debug)]
pub struct Gallery<'a> {
    record: &'a Record,
    /// The scene of the manifest; none for a study.
    scene: Option<Scene>,
}

impl<'a> Gallery<'a> {
    /// The pictures of a run or a study.
    ///
    /// # Errors
    /// The scene's text in the manifest is not right (it was altered, or a newer program wrote it).
    pub fn of(record: &'a Record) -> Result<Self, PlotError> {
        let manifest = record.manifest();
        let scene = match manifest.kind.as_str() {
            "study" => None,
            _ => {
                let overrides = manifest.overrides.iter();
                let set: Vec<_> = overrides.map(|o| (&*o.key, &*o.value)).collect();
                let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?;
                Some(scene.with(&set)?)
            }
        };
        Ok(Self { record, scene })
    }

    /// Names and titles of the pictures: those that the scene declares first.
    ///
    /// # Errors
    /// The manifest lacks a table.
    pub fn list(&self) -> Result<Vec<(String, String)>, PlotError> {
        let Some(scene) = &self.scene else {
            return self.study_list();
        };
        let declared = scene.plots().iter().map(|plot| {
            let title = plot
                .title
                .clone()
                .unwrap_or_else(|| "declared by the scene".into());
            (plot.name.clone(), title)
        });
        let mut all: Vec<(String, String)> = declared.collect();
        let bodies = scene.kind() == Kind::Bodies;
        let standard = match bodies {
            true => collection::STANDARD,
            false => standard::STANDARD,
        };
        if bodies {
            let pictures = Album::new(self.record, scene).list();
            all.extend(pictures);
            all.extend(survey::list(scene));
        }
        if moving::shows(scene) && all.iter().all(|(known, _)| known != moving::NAME) {
            all.push((moving::NAME.into(), moving::TITLE.into()));
        }
        for (name, title) in standard {
            let there = name != standard::ORDERS || standard::has_orders(self.record);
            if there && all.iter().all(|(known, _)| known != name) {
                all.push((name.into(), title.into()));
            }
        }
        if bodies {
            return Ok(all);
        }
        for name in standard::coordinates(self.record)? {
            let title = format!("{name}_dot over {name}");
            all.push((format!("{}{name}", standard::PHASE), title));
        }
        Ok(all)
    }

    /// Every column of numbers of a study is a picture of its own.
    fn study_list(&self) -> Result<Vec<(String, String)>, PlotError> {
        let columns = &self.record.entry("runs")?.columns;
        let along = self.study_key()?;
        let numbers = columns
            .iter()
            .filter(|c| c.kind == Type::Real && c.name != along);
        let title = |name: &str| format!("{name} over {along}");
        Ok(numbers.map(|c| (c.name.clone(), title(&c.name))).collect())
    }

    /// What a study is drawn over: the first key that was varied, else the number of the run.
    fn study_key(&self) -> Result<String, PlotError> {
        let columns = &self.record.entry("runs")?.columns;
        let varied = |c: &&crate::record::Column| c.meaning == VARIED && c.kind == Type::Real;
        Ok(columns
            .iter()
            .find(varied)
            .map_or("run".into(), |c| c.name.clone()))
    }

    /// The picture of a name, drawn as SVG.
    ///
    /// # Errors
    /// There is no such picture, or it has nothing to show, or what it needs cannot be read or run.
    pub fn svg(
        &self,
        name: &str,
        threads: Threads,
        note: &mut dyn FnMut(&str),
    ) -> Result<String, PlotError> {
        if let Some(scene) = self.scene.as_ref().filter(|s| s.kind() == Kind::Bodies)
            && scene.plots().iter().all(|plot| plot.name != name)
            && let Some(text) = Album::new(self.record, scene).svg(name)?
        {
            return Ok(text);
        }
        let figure = self.figure(name, threads, note)?;
        draw::svg(&figure).map_err(PlotError::Drawing)
    }

    /// The plot of a name.
    ///
    /// # Errors
    /// There is no such plot, or it has nothing to show, or what it needs cannot be read or run.
    pub fn figure(
        &self,
        name: &str,
        threads: Threads,
        note: &mut dyn FnMut(&str),
    ) -> Result<Figure, PlotError> {
        let figure = match &self.scene {
            None => self.study_figure(name)?,
            Some(scene) => match scene.plots().iter().find(|p| p.name == name) {
                Some(plot) => Some(declared::figure(self.record, scene, plot, threads, note)?),
                None if scene.kind() == Kind::Bodies => {
                    match survey::figure(self.record, scene, name)? {
                        None => collection::figure(self.record, name)?,
                        found => found,
                    }
                }
                None => match moving::figure(self.record, scene, name)? {
                    None => standard::figure(self.record, name)?,
                    found => found,
                },
            },
        };
        let figure = figure.ok_or_else(|| self.unknown(name))?;
        if figure.is_empty() {
            let empty = format!("the plot `{name}` has nothing to show in this run");
            return Err(PlotError::Nothing(empty));
        }
        Ok(figure)
    }

    fn study_figure(&self, name: &str) -> Result<Option<Figure>, PlotError> {
        if !self.study_list()?.iter().any(|(known, _)| known == name) {
            return Ok(None);
        }
        let along = self.study_key()?;
        let table = self.record.table("runs", Some(&[&along, name]))?;
        let (x, y) = (table.numbers(&along), table.numbers(name));
        let series = Series::line(name, &x, &y, 0).with_mark(Mark::Points);
        Ok(Some(Figure {
            title: format!("{}: {name}", self.record.manifest().title),
            x_label: along,
            y_label: name.into(),
            series: vec![series],
            ..Figure::default()
        }))
    }

    fn unknown(&self, name: &str) -> PlotError {
        let known: Vec<String> = self
            .list()
            .map_or_else(|_| Vec::new(), |all| all.into_iter().map(|p| p.0).collect());
        let guess = match expr::nearest(name, &known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        };
        PlotError::Unknown(format!(
            "there is no plot `{name}`{guess} (there is {})",
            known.join(", ")
        ))
    }
}
