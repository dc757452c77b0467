//! The models that are known, with their prices and their ends.
//!
//! A look-up is exact, or by the same name without its date. It never guesses by prefix: a newer model
//! would be given an older one's price.

mod model;
mod near;
mod parse;

use std::sync::{Arc, LazyLock};

use jiff::civil::Date;

pub use model::{MediaRates, Model, Purpose, RETIREMENT_NOTICE_DAYS, Retirement};
pub use parse::CatalogueError;

static BUNDLED: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
    // A test reads the bundled text. Were it unreadable all the same, no model would have a price, and
    // the config would say so: the safe side.
    Arc::new(Catalogue::parse(include_str!("../../data/catalogue.txt")).unwrap_or_default())
});

/// A set of models that can be asked for by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    as_of: Option<Date>,
    sources: Vec<Arc<str>>,
    /// Sorted by provider and model, no pair twice.
    models: Vec<Model>,
    /// Known by name, but without a price that anybody publishes. Sorted.
    unpriced: Vec<(Arc<str>, String)>,
}

impl Catalogue {
    /// The catalogue that comes with this version, read once.
    pub fn bundled() -> &'static Self {
        &BUNDLED
    }

    /// The same, to be held by many.
    pub fn shared() -> Arc<Self> {
        Arc::clone(&BUNDLED)
    }

    /// Reads a catalogue in the form of `data/catalogue.txt`. Text of more than 16 MiB, a line of more than
    /// 4 KiB and more than 100,000 models are refused.
    ///
    /// # Errors
    ///
    /// The first line that cannot be read, and why.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        parse::read(text)
    }

    /// The day on which the facts were collected.
    pub fn as_of(&self) -> Option<Date> {
        self.as_of
    }

    /// Where the facts come from, one line each, licences included.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| &**source)
    }

    /// The model of that exact name; else, where the name ends in a date (`-2026-11-30`, `-20261130`), the
    /// model of that name without it.
    pub fn find(&self, provider: &str, model: &str) -> Option<&Model> {
        self.exact(provider, model).or_else(|| {
            let undated = without_date(model).filter(|_| !self.is_unpriced(provider, model))?;
            self.exact(provider, undated)
        })
    }

    /// Whether the model is known but nobody publishes what it costs.
    pub fn is_unpriced(&self, provider: &str, model: &str) -> bool {
        self.unpriced.binary_search_by(|(p, m)| (&**p, m.as_str()).cmp(&(provider, model))).is_ok()
    }

    /// The providers that have a model of exactly that name.
    pub fn providers_of<'a>(&'a self, model: &'a str) -> impl Iterator<Item = &'a str> {
        self.models.iter().filter(move |known| known.model == model).map(|known| &*known.provider)
    }

    /// At most three models that may have been meant, likeliest first: the same name at another provider,
    /// then names that differ by little. None that is retired.
    pub fn suggestions(&self, provider: &str, model: &str) -> Vec<&Model> {
        near::suggestions(&self.models, provider, model)
    }

    /// All models, by provider and name.
    pub fn models(&self) -> impl ExactSizeIterator<Item = &Model> {
        self.models.iter()
    }

    /// The models of one provider, by name.
    pub fn models_of<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a Model> {
        let first = self.models.partition_point(|known| &*known.provider < provider);
        self.models.iter().skip(first).take_while(move |known| &*known.provider == provider)
    }

    /// The models whose `provider/model` holds every word of `text`, in any case; all for an empty text.
    pub fn matching<'a>(&'a self, text: &str) -> impl Iterator<Item = &'a Model> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        self.models.iter().filter(move |known| {
            let name = known.name().to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
        })
    }

    /// Both catalogues in one. What this one knows wins, also where it knows that there is no price.
    pub fn over(self, older: &Self) -> Self {
        let kept: Vec<Model> =
            older.models.iter().filter(|old| !self.names(&old.provider, &old.model)).cloned().collect();
        let unpriced: Vec<_> = older.unpriced.iter().filter(|(p, m)| !self.names(p, m)).cloned().collect();
        let mut both = self;
        both.models.extend(kept);
        both.unpriced.extend(unpriced);
        both.sources.extend(older.sources.iter().cloned());
        both.as_of = both.as_of.max(older.as_of);
        both.sort();
        both
    }

    fn names(&self, provider: &str, model: &str) -> bool {
        self.exact(provider, model).is_some() || self.is_unpriced(provider, model)
    }

    fn exact(&self, provider: &str, model: &str) -> Option<&Model> {
        let index = self
            .models
            .binary_search_by(|known| (&*known.provider, known.model.as_str()).cmp(&(provider, model)))
            .ok()?;
        self.models.get(index)
    }

    fn sort(&mut self) {
        self.models.sort_by(|a, b| (&a.provider, &a.model).cmp(&(&b.provider, &b.model)));
        self.unpriced.sort();
    }
}

/// The name without the date at its end, if it has one.
fn without_date(model: &str) -> Option<&str> {
    let (name, date) = if let Some((name, day)) = model.rsplit_once('-').filter(|(_, day)| day.len() == 8) {
        (name, day.parse::<u32>().ok().filter(|_| day.bytes().all(|byte| byte.is_ascii_digit()))?)
    } else {
        let at = model.len().checked_sub(11)?;
        let (name, dated) = model.split_at_checked(at)?;
        let date: Date = dated.strip_prefix('-')?.parse().ok()?;
        return (!name.is_empty() && date.year() >= 2000).then_some(name);
    };
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let real = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    (real.is_ok() && year >= 2000 && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_bundled_catalogue_reads_and_is_large() {
        let parsed = Catalogue::parse(include_str!("../../data/catalogue.txt"));
        assert_eq!(parsed.as_ref().err(), None);
        assert_eq!(&parsed.unwrap(), Catalogue::bundled());
        assert!(Catalogue::bundled().models().len() > 2_200);
        assert!(Catalogue::bundled().as_of().is_some());
        assert!(Catalogue::bundled().sources().all(|source| source.contains("MIT")));
    }

    #[test]
    fn reading_the_catalogue_is_not_felt() {
        // A build without optimisation on a busy machine; an optimised one is several times quicker.
        let quickest = (0..5)
            .map(|_| {
                let start = Instant::now();
                assert!(Catalogue::parse(include_str!("../../data/catalogue.txt")).is_ok());
                start.elapsed()
            })
            .min()
            .unwrap();
        assert!(quickest.as_millis() < 250, "{quickest:?}");
    }

    #[test]
    fn a_look_up_is_exact_or_undated_and_never_a_prefix() {
        let catalogue = Catalogue::bundled();
        let found = |provider, model| catalogue.find(provider, model).map(|found| found.model.as_str());
        assert_eq!(found("openai", "gpt-6-luna"), Some("gpt-6-luna"));
        assert_eq!(found("openai", "gpt-6-luna-2026-11-29"), Some("gpt-6-luna"));
        assert_eq!(found("anthropic", "claude-sonnet-5-5-20261101"), Some("claude-sonnet-5-5"));
        for unknown in
            ["gpt-6-luna-mini", "gpt-6-lun", "gpt-6-luna-2026-13-01", "gpt-6-luna-20269999", "", "-20261101"]
        {
            assert_eq!(found("openai", unknown), None, "{unknown:?}");
        }
        assert_eq!(found("deepseek", "gpt-6-luna"), None);
    }

    #[test]
    fn a_model_without_a_published_price_is_known_but_has_none() {
        let catalogue = Catalogue::bundled();
        assert!(catalogue.find("dashscope", "qwen3-30b-a3b").is_none());
        assert!(catalogue.is_unpriced("dashscope", "qwen3-30b-a3b"));
        assert!(!catalogue.is_unpriced("openai", "gpt-6-luna"));
    }

    #[test]
    fn no_model_is_free_by_accident() {
        for model in Catalogue::bundled().models() {
            if model.price.is_free() {
                let known = ["gemma-3-27b-it", "labs-leanstral-1-5-1", "glm-4.5-flash", "glm-4.7-flash"];
                assert!(known.contains(&model.model.as_str()), "{}", model.name());
            }
        }
    }

    #[test]
    fn a_newer_file_wins_and_the_rest_stays() {
        let newer = Catalogue::parse(
            "mainstay-catalogue 1\nas-of 2027-01-01\nsource me mine, none, 2027-01\n[openai]\ngpt-6-luna in=9 out=9 src=me\ngpt-6-sol unpriced\n",
        )
        .unwrap()
        .over(Catalogue::bundled());
        assert_eq!(newer.find("openai", "gpt-6-luna").unwrap().price.input.to_string(), "9.00");
        assert!(newer.find("openai", "gpt-6-sol").is_none() && newer.is_unpriced("openai", "gpt-6-sol"));
        assert_eq!(newer.models().len(), Catalogue::bundled().models().len() - 1);
        assert_eq!(
            newer.find("anthropic", "claude-sonnet-5-5"),
            Catalogue::bundled().find("anthropic", "claude-sonnet-5-5")
        );
    }

    #[test]
    fn models_are_listed_by_text_and_by_provider() {
        let catalogue = Catalogue::bundled();
        assert_eq!(catalogue.matching("").count(), catalogue.models().len());
        assert!(catalogue.matching("OpenAI luna").any(|model| model.name() == "openai/gpt-6-luna"));
        assert!(catalogue.models_of("anthropic").all(|model| &*model.provider == "anthropic"));
        assert_eq!(catalogue.models_of("nobody").count(), 0);
        assert!(catalogue.providers_of("gpt-6-luna").any(|provider| provider == "azure"));
    }
}
