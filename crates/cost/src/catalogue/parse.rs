//! The catalogue's text form: one model a line, indented lines for what belongs to it.
//!
//! `data/catalogue.txt` opens with a description of the form. Anything that is not understood is an
//! error: a price that was skipped would be a price that is wrong.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use mainstay_canon::{Moment, PerMillion};

use super::{Catalogue, MediaRates, Model, Purpose};
use crate::multiplier::Multiplier;
use crate::price::{Price, Rates};
use crate::schedule::{Calendar, Schedule};

const VERSION: &str = "mainstay-catalogue 1";
const MAX_TEXT_BYTES: usize = 16 << 20;
const MAX_LINE_BYTES: usize = 4 << 10;
const MAX_MODELS: usize = 100_000;

/// Why a catalogue cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueError {
    /// The line, counted from 1; 0 for the text as a whole.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "catalogue, line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for CatalogueError {}

type Read<T> = Result<T, String>;

pub(super) fn read(text: &str) -> Result<Catalogue, CatalogueError> {
    let fail = |line, problem| CatalogueError { line, problem };
    if text.len() > MAX_TEXT_BYTES {
        return Err(fail(0, format!("the text is longer than {MAX_TEXT_BYTES} bytes")));
    }
    let mut lines = text.lines().zip(1..);
    if lines.next().is_none_or(|(first, _)| first.trim_end() != VERSION) {
        return Err(fail(1, format!("the first line must be `{VERSION}`")));
    }
    let mut reader = Reader::default();
    for (line, number) in lines {
        reader.line(line).map_err(|problem| fail(number, problem))?;
    }
    reader.finish().map_err(|problem| fail(0, problem))
}

#[derive(Default)]
struct Reader {
    catalogue: Catalogue,
    sources: Vec<Source>,
    calendars: Vec<Arc<Calendar>>,
    schedules: Vec<Arc<Schedule>>,
    provider: Option<Arc<str>>,
    /// Names of service tiers, each kept once.
    services: Vec<Arc<str>>,
    /// The model that indented lines belong to, until the next one begins.
    open: bool,
}

struct Source {
    id: Arc<str>,
    as_of: Arc<str>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Read<()> {
        if line.len() > MAX_LINE_BYTES {
            return Err(format!("the line is longer than {MAX_LINE_BYTES} bytes"));
        }
        let indented = line.starts_with(' ');
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(provider) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            self.provider = Some(provider.into());
            self.open = false;
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (&self.provider, indented) {
            (Some(_), true) => self.step(word, rest),
            (Some(provider), false) => {
                let provider = Arc::clone(provider);
                self.model(provider, word, rest)
            }
            (None, _) => self.preamble(word, rest),
        }
    }

    fn preamble(&mut self, word: &str, rest: &str) -> Read<()> {
        match word {
            "as-of" => self.catalogue.as_of = Some(date(rest)?),
            "source" => self.source(rest)?,
            "calendar" => self.calendars.push(Arc::new(calendar(rest)?)),
            "clock" => {
                let schedule = schedule(rest, &self.calendars)?;
                self.schedules.push(Arc::new(schedule));
            }
            _ => return Err(format!("unknown word `{word}` before the first provider")),
        }
        Ok(())
    }

    fn source(&mut self, rest: &str) -> Read<()> {
        let (id, text) = rest.split_once(' ').ok_or("a source needs an id and a text")?;
        let (_, as_of) = text.rsplit_once(", ").ok_or("a source's text must end in `, ` and a date")?;
        self.sources.push(Source { id: id.into(), as_of: as_of.into() });
        self.catalogue.sources.push(format!("{id}: {text}").into());
        Ok(())
    }

    fn model(&mut self, provider: Arc<str>, name: &str, rest: &str) -> Read<()> {
        if self.catalogue.models.len().saturating_add(self.catalogue.unpriced.len()) >= MAX_MODELS {
            return Err(format!("more than {MAX_MODELS} models"));
        }
        self.open = false;
        if rest == "unpriced" {
            self.catalogue.unpriced.push((provider, name.to_owned()));
            return Ok(());
        }
        let model = self.fields(provider, name, rest)?;
        self.catalogue.models.push(model);
        self.open = true;
        Ok(())
    }

    fn fields(&self, provider: Arc<str>, name: &str, rest: &str) -> Read<Model> {
        let mut rates = RateFields::default();
        let mut model = blank(provider, name);
        for field in rest.split_ascii_whitespace() {
            let (key, value) = field.split_once('=').unwrap_or((field, ""));
            if !rates.take(key, value)? && !self.fact(&mut model, key, value)? {
                return Err(format!("unknown field `{field}`"));
            }
        }
        if model.purpose == Purpose::Embedding {
            rates.output.get_or_insert(PerMillion::ZERO);
        }
        model.price = Price::of(rates.complete()?);
        if model.source.is_empty() {
            return Err("the model names no source (`src=`)".into());
        }
        Ok(model)
    }

    /// Takes one field that is no rate; `false` when there is no such field.
    fn fact(&self, model: &mut Model, key: &str, value: &str) -> Read<bool> {
        match key {
            "ctx" => model.context = Some(number(value)?),
            "max" => model.max_output = Some(number(value)?),
            "img" => model.image_tokens = Some(number(value)?),
            "audio" => model.media.audio_input = Some(rate(value)?),
            "speech" => model.media.audio_output = Some(rate(value)?),
            "image" => model.media.image_input = Some(rate(value)?),
            "video" => model.media.video_input = Some(rate(value)?),
            "by" => model.retires = Some(date(value)?),
            "next" => model.successor = Some(value.to_owned()),
            "gone" => model.gone = true,
            "deprecated" => model.deprecated = true,
            "responses" => model.purpose = Purpose::ResponsesOnly,
            "embed" => model.purpose = Purpose::Embedding,
            "can" => abilities(model, value)?,
            "uplift" => model.uplifts = uplifts(value)?,
            "clock" => model.schedule = Some(named(&self.schedules, value, |schedule| &schedule.name)?),
            "src" => {
                let source = self.sources.iter().find(|source| &*source.id == value);
                let source = source.ok_or_else(|| format!("unknown source `{value}`"))?;
                model.source = Arc::clone(&source.id);
                model.as_of = Arc::clone(&source.as_of);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An indented line: `>272000 in=…`, `priority in=…` or `priority>272000 in=…`.
    fn step(&mut self, word: &str, rest: &str) -> Read<()> {
        let service_name = word.split_once('>').map_or(word, |(service, _)| service);
        let service = (!service_name.is_empty()).then(|| self.service(service_name));
        let model = self.catalogue.models.last_mut().filter(|_| self.open);
        let model = model.ok_or("an indented line must follow a model with a price")?;
        let mark = word.split_once('>').map(|(_, mark)| number::<u64>(mark)).transpose()?;
        let parent = match (&service, mark) {
            (None, _) | (Some(_), None) => model.price.base(),
            (Some(name), Some(_)) => service_of(model, name)?.base(),
        };
        let mut fields = RateFields::default();
        for field in rest.split_ascii_whitespace() {
            let (key, value) = field.split_once('=').unwrap_or((field, ""));
            if !fields.take(key, value)? {
                return Err(format!("unknown rate `{field}`"));
            }
        }
        let rates = fields.over(&parent);
        match (service, mark) {
            (None, None) => return Err("an indented line must name a step or a service tier".into()),
            (None, Some(mark)) => add_step(&mut model.price, mark, rates)?,
            (Some(name), None) => {
                if model.services.iter().any(|(known, _)| *known == name) {
                    return Err(format!("the service tier `{name}` stands twice"));
                }
                model.services.push((name, Price::of(rates)));
            }
            (Some(name), Some(mark)) => add_step(service_of(model, &name)?, mark, rates)?,
        }
        Ok(())
    }

    fn service(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.services.iter().find(|known| &***known == name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.services.push(Arc::clone(&name));
        name
    }

    fn finish(mut self) -> Read<Catalogue> {
        self.catalogue.sort();
        let names = self.catalogue.models.iter().map(|model| (&model.provider, &model.model));
        let mut names: Vec<_> = names.chain(self.catalogue.unpriced.iter().map(|(p, m)| (p, m))).collect();
        names.sort();
        if let Some([(provider, model), _]) = names.array_windows().find(|[one, two]| one == two) {
            return Err(format!("{provider}/{model} stands twice"));
        }
        Ok(self.catalogue)
    }
}

fn service_of<'a>(model: &'a mut Model, name: &str) -> Read<&'a mut Price> {
    let found = model.services.iter_mut().find(|(known, _)| &**known == name);
    found.map(|(_, price)| price).ok_or_else(|| format!("`{name}` has a step before it has a price"))
}

fn add_step(price: &mut Price, mark: u64, rates: Rates) -> Read<()> {
    if price.above.last().is_some_and(|(last, _)| *last >= mark) {
        return Err("steps must rise".into());
    }
    price.above.push((mark, rates));
    Ok(())
}

/// The rates of one line, as far as it states them.
#[derive(Default)]
struct RateFields {
    input: Option<PerMillion>,
    cached_input: Option<PerMillion>,
    cache_write: Option<PerMillion>,
    cache_write_1h: Option<PerMillion>,
    output: Option<PerMillion>,
    reasoning: Option<PerMillion>,
}

impl RateFields {
    fn take(&mut self, key: &str, value: &str) -> Read<bool> {
        let field = match key {
            "in" => &mut self.input,
            "out" => &mut self.output,
            "read" => &mut self.cached_input,
            "write" => &mut self.cache_write,
            "long" => &mut self.cache_write_1h,
            "think" => &mut self.reasoning,
            _ => return Ok(false),
        };
        if field.replace(rate(value)?).is_some() {
            return Err(format!("`{key}` stands twice"));
        }
        Ok(true)
    }

    fn complete(&self) -> Read<Rates> {
        Ok(Rates {
            input: self.input.ok_or("the price of input (`in=`) is missing")?,
            cached_input: self.cached_input,
            cache_write: self.cache_write,
            cache_write_1h: self.cache_write_1h,
            output: self.output.ok_or("the price of output (`out=`) is missing")?,
            reasoning: self.reasoning,
        })
    }

    /// What the line does not state is as in `parent`.
    fn over(&self, parent: &Rates) -> Rates {
        Rates {
            input: self.input.unwrap_or(parent.input),
            cached_input: self.cached_input.or(parent.cached_input),
            cache_write: self.cache_write.or(parent.cache_write),
            cache_write_1h: self.cache_write_1h.or(parent.cache_write_1h),
            output: self.output.unwrap_or(parent.output),
            reasoning: self.reasoning.or(parent.reasoning),
        }
    }
}

fn blank(provider: Arc<str>, name: &str) -> Model {
    Model {
        provider,
        model: name.to_owned(),
        purpose: Purpose::Chat,
        price: Price::free(),
        services: Vec::new(),
        media: MediaRates::default(),
        uplifts: Vec::new(),
        schedule: None,
        context: None,
        max_output: None,
        image_tokens: None,
        reasoning: false,
        images: None,
        tools: None,
        json_schema: None,
        retires: None,
        gone: false,
        deprecated: false,
        successor: None,
        as_of: "".into(),
        source: "".into(),
    }
}

fn abilities(model: &mut Model, value: &str) -> Read<()> {
    for ability in value.split(',') {
        match ability {
            "reasoning" => model.reasoning = true,
            "images" => model.images = Some(true),
            "tools" => model.tools = Some(true),
            "schema" => model.json_schema = Some(true),
            _ => return Err(format!("unknown ability `{ability}`")),
        }
    }
    Ok(())
}

fn uplifts(value: &str) -> Read<Vec<(Arc<str>, Multiplier)>> {
    let pair = |text: &str| {
        let (place, factor) = text.split_once(':').ok_or("an uplift is written `place:factor`")?;
        Ok((place.into(), multiplier(factor)?))
    };
    value.split(',').map(pair).collect()
}

/// `cn utc+8 through=2026-12-31 2026-10-01 2026-10-02 …`
fn calendar(rest: &str) -> Read<Calendar> {
    let mut words = rest.split_ascii_whitespace();
    let name = words.next().ok_or("a calendar needs a name")?.to_owned();
    let offset =
        words.next().and_then(|word| word.strip_prefix("utc")).ok_or("`utc+N` must follow the name")?;
    let utc_offset_hours = offset.parse().map_err(|_| format!("`{offset}` is no offset in hours"))?;
    let through = words.next().and_then(|word| word.strip_prefix("through="));
    let covers_through = date(through.ok_or("`through=DATE` must follow the offset")?)?;
    let mut holidays = words.map(date).collect::<Read<Vec<Date>>>()?;
    holidays.sort();
    Ok(Calendar { name, utc_offset_hours, covers_through, holidays })
}

/// `deepseek times=2 hours=01:00-04:00,06:00-10:00 weekdays holidays=cn from=2026-08-16T16:00:00Z`
fn schedule(rest: &str, calendars: &[Arc<Calendar>]) -> Read<Schedule> {
    let mut words = rest.split_ascii_whitespace();
    let mut schedule = Schedule {
        name: words.next().ok_or("a clock needs a name")?.to_owned(),
        times: Multiplier::ONE,
        hours: Vec::new(),
        weekdays_only: false,
        holidays: None,
        from: None,
        until: None,
    };
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "times" => schedule.times = multiplier(value)?,
            "hours" => schedule.hours = value.split(',').map(hours).collect::<Read<_>>()?,
            "weekdays" => schedule.weekdays_only = true,
            "holidays" => schedule.holidays = Some(named(calendars, value, |calendar| &calendar.name)?),
            "from" => schedule.from = Some(moment(value)?),
            "until" => schedule.until = Some(moment(value)?),
            _ => return Err(format!("unknown field `{word}` of a clock")),
        }
    }
    Ok(schedule)
}

fn named<T>(all: &[Arc<T>], name: &str, of: impl Fn(&T) -> &String) -> Read<Arc<T>> {
    let found = all.iter().find(|one| of(one) == name);
    found.cloned().ok_or_else(|| format!("`{name}` is not defined above"))
}

/// `16:30-00:30`
fn hours(text: &str) -> Read<(u16, u16)> {
    let (from, until) = text.split_once('-').ok_or_else(|| format!("`{text}` is not `HH:MM-HH:MM`"))?;
    Ok((minutes(from)?, minutes(until)?))
}

fn minutes(text: &str) -> Read<u16> {
    let wrong = || format!("`{text}` is not `HH:MM`");
    let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
    let (hour, minute): (u16, u16) = (number(hour)?, number(minute)?);
    if hour > 23 || minute > 59 {
        return Err(wrong());
    }
    Ok(hour.saturating_mul(60).saturating_add(minute))
}

fn number<T: std::str::FromStr>(text: &str) -> Read<T> {
    text.parse().map_err(|_| format!("`{text}` is no number that fits here"))
}

fn rate(text: &str) -> Read<PerMillion> {
    text.parse().map_err(|problem| format!("`{text}`: {problem}"))
}

fn multiplier(text: &str) -> Read<Multiplier> {
    text.parse().map_err(|problem| format!("`{text}`: {problem}"))
}

fn date(text: &str) -> Read<Date> {
    text.parse().map_err(|_| format!("`{text}` is no date"))
}

fn moment(text: &str) -> Read<Moment> {
    let time: Timestamp = text.parse().map_err(|_| format!("`{text}` is no moment"))?;
    Ok(Moment::from_micros(time.as_microsecond()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str = "mainstay-catalogue 1\nas-of 2026-11-30\nsource s a package, MIT, 2026-11\n";

    fn problem(body: &str) -> String {
        read(&format!("{HEAD}{body}")).unwrap_err().to_string()
    }

    #[test]
    fn every_kind_of_line_reads() {
        let text = format!(
            "{HEAD}calendar cn utc+8 through=2026-12-31 2026-10-02 2026-10-01\n\
             clock deepseek times=2 hours=01:00-04:00,06:00-10:00 weekdays holidays=cn from=2026-08-16T16:00:00Z\n\
             # a remark\n\n[openai]\n\
             gpt in=2 out=12 read=0.2 write=2.5 long=5 ctx=922000 max=128000 img=900 can=reasoning,images,tools,schema uplift=eu:1.1 clock=deepseek src=s\n\
             \x20 >272000 in=4 out=18 long=10\n\
             \x20 priority in=4 out=24\n\
             \x20 priority>272000 in=8 out=36\n\
             vectors embed in=0.1 src=s\n\
             mystery unpriced\n"
        );
        let catalogue = read(&text).unwrap();
        let gpt = catalogue.find("openai", "gpt").unwrap();
        let (mark, above) = gpt.price.above.first().copied().unwrap();
        assert_eq!((mark, above.output.to_string().as_str()), (272_000, "18.00"));
        assert_eq!(above.cached_input, gpt.price.cached_input, "what a step does not state is as below it");
        assert_eq!(above.cache_write_1h.unwrap().to_string(), "10.00");
        let (name, priority) = gpt.services.first().unwrap();
        assert_eq!((&**name, priority.above.len()), ("priority", 1));
        assert_eq!(
            (gpt.reasoning, gpt.images, gpt.context, gpt.image_tokens),
            (true, Some(true), Some(922_000), Some(900))
        );
        assert_eq!((&*gpt.source, &*gpt.as_of), ("s", "2026-11"));
        assert_eq!(gpt.schedule.as_ref().unwrap().holidays.as_ref().unwrap().holidays.len(), 2);
        assert_eq!(catalogue.find("openai", "vectors").unwrap().price.output, PerMillion::ZERO);
        assert!(catalogue.is_unpriced("openai", "mystery"));
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        for (body, expected) in [
            ("[p]\nm in=1 src=s\n", "line 5: the price of output"),
            ("[p]\nm out=1 src=s\n", "line 5: the price of input"),
            ("[p]\nm in=1 out=2\n", "line 5: the model names no source"),
            ("[p]\nm in=1 out=2 in=3 src=s\n", "line 5: `in` stands twice"),
            ("[p]\nm in=1.0000000000001 out=2 src=s\n", "more than 12 decimals"),
            ("[p]\nm in=1 out=2 surprise=3 src=s\n", "unknown field `surprise=3`"),
            ("[p]\nm in=1 out=2 src=other\n", "unknown source `other`"),
            ("[p]\nm in=1 out=2 can=fly src=s\n", "unknown ability `fly`"),
            ("[p]\nm in=1 out=2 clock=never src=s\n", "`never` is not defined above"),
            ("[p]\n  >5 in=1\n", "must follow a model"),
            ("[p]\nm unpriced\n  >5 in=1\n", "must follow a model"),
            ("[p]\nm in=1 out=2 src=s\n  >5 in=2\n  >5 in=3\n", "steps must rise"),
            ("[p]\nm in=1 out=2 src=s\n  fast>5 in=2\n", "has a step before it has a price"),
            ("[p]\nm in=1 out=2 src=s\nm in=1 out=2 src=s\n", "p/m stands twice"),
            ("[p]\nm in=1 out=2 src=s\nm unpriced\n", "p/m stands twice"),
            ("prices 3\n", "unknown word `prices`"),
            ("clock c hours=25:00-26:00\n", "is not `HH:MM`"),
        ] {
            assert!(problem(body).contains(expected), "{body:?} gave {:?}", problem(body));
        }
        assert!(read("{}").unwrap_err().to_string().contains("the first line must be"));
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(
            problem(&format!("[p]\n{} in=1 out=2 src=s\n", "m".repeat(5_000))).contains("longer than 4096")
        );
        assert!(read(&"x".repeat(MAX_TEXT_BYTES + 1)).unwrap_err().problem.contains("longer than"));
    }

    proptest! {
        #[test]
        fn no_text_panics(body in "(\\[p\\]|m|  >5|  fast>3| in=1| out=2| src=s| clock=|=|\n|source |calendar a utc|\\PC){0,30}") {
            let _ = read(&format!("{HEAD}{body}"));
        }
    }
}
