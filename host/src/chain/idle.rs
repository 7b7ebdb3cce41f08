//! Why a step left a document unchanged, as far as this is known without its filter.

use super::advice;
use super::load::Chains;
use super::receipt::{Outcome, Receipt};

impl Chains {
    /// Why a step left a document unchanged. None: it did not, or only its filter knows. `chain`: its name; `step`: its
    /// place, from 0.
    pub fn why_unchanged(&self, chain: &str, step: usize, receipt: &Receipt) -> Option<String> {
        match receipt.outcome {
            Outcome::NotTriggered => Some("none of its triggers occurs in the document".to_owned()),
            Outcome::Unchanged => {
                let (spec, chain) = self.named(chain)?;
                let (spec, step) = (spec.steps.get(step)?, chain.steps.get(step)?);
                let above = advice::acts_above(self.policy(), spec, step)?;
                let size = above.of(receipt.before.text())?;
                let unit = &above.unit;
                (size <= above.amount).then(|| {
                    let amount = above.amount;
                    format!("it acts above {amount} {unit}, and the document has {size}")
                })
            }
            _ => None,
        }
    }
}
