//! Reads `[[profile]]` and `[[distribution]]`.

use super::{choice, name_of, names_if};
use crate::tables::survey::DISTRIBUTION_QUANTITIES;
use crate::tables::{DistributionQuantity, DistributionSpec, ProfileSpec};
use crate::{InputError, Reader};

/// Largest number of bins.
const MOST: usize = 10_000;

/// `[[profile]]`.
pub(super) fn profiles(root: &mut Reader<'_>) -> Result<Vec<ProfileSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in crate::parts(root, "profile", "profile")? {
        let region = name_of(&mut reader, "region")?;
        let Some(quantity) = names_if(&mut reader, "quantity")? else {
            return Err(reader.missing("quantity"));
        };
        let profile = ProfileSpec {
            name,
            title: reader.text_if("title")?,
            line: reader.line,
            region,
            quantity,
            from: reader.formula_if("from")?,
            to: reader.formula_if("to")?,
        };
        reader.finish()?;
        all.push(profile);
    }
    Ok(all)
}

/// `[[distribution]]`.
pub(super) fn distributions(
    root: &mut Reader<'_>,
) -> Result<Vec<DistributionSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in crate::parts(root, "distribution", "distribution")? {
        let of = name_of(&mut reader, "of")?;
        let quantity: DistributionQuantity =
            choice(&mut reader, "quantity", &DISTRIBUTION_QUANTITIES)?;
        let bins = reader.count_if("bins")?;
        if let Some(count) = bins.filter(|count| *count > MOST) {
            let problem = format!("`bins` is {count}, at most {MOST} are allowed");
            return Err(reader.error(problem, ""));
        }
        let distribution = DistributionSpec {
            name,
            title: reader.text_if("title")?,
            line: reader.line,
            of,
            quantity,
            bins,
            low: reader.formula_if("low")?,
            high: reader.formula_if("high")?,
            from: reader.formula_if("from")?,
            to: reader.formula_if("to")?,
        };
        reader.finish()?;
        all.push(distribution);
    }
    Ok(all)
}
