//! What may come from a provider, in nobody's dialect.

/// In which form a reply comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A whole body with status 200.
    Whole,
    /// A stream with status 200.
    Stream,
    /// A body with a status of an error.
    Error,
}

/// One reply, as its dialect spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// HTTP status.
    pub status: u16,
    /// The bytes.
    pub body: Vec<u8>,
}

impl Wire {
    /// A reply of a success.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, body: body.into() }
    }

    /// A reply whose status says that something went wrong.
    pub fn error(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into() }
    }
}

macro_rules! scenarios {
    ($($form:ident { $($(#[doc = $doc:literal])+ $name:ident,)+ })+) => {
        /// One thing that may come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Scenario {
            $($($(#[doc = $doc])+ $name,)+)+
        }

        impl Scenario {
            /// All of them, with the forms in which each may come.
            pub const ALL: &'static [(Self, &'static [Form])] = &[$($((Self::$name, scenarios!(@$form)),)+)+];
        }
    };
    (@both) => { &[Form::Whole, Form::Stream] };
    (@whole) => { &[Form::Whole] };
    (@stream) => { &[Form::Stream] };
    (@error) => { &[Form::Error] };
}

scenarios! {
    both {
        /// Visible text, with letters of two, three and four bytes.
        PlainText,
        /// Reasoning, then text.
        Reasoning,
        /// Reasoning with a signature that must go back unchanged, then text.
        SignedReasoning,
        /// How many tokens were hidden reasoning.
        ReasoningCount,
        /// One tool call.
        OneCall,
        /// Two tool calls.
        ParallelCalls,
        /// Text, then a tool call.
        TextThenCall,
        /// A tool call without arguments.
        CallWithoutArguments,
        /// A tool call without an id.
        CallWithoutId,
        /// A stop text of the caller's was hit, and the provider says which.
        StopSequence,
        /// Text, cut by the token limit.
        Length,
        /// The token limit was used up by reasoning.
        LengthBeforeText,
        /// A tool call, cut by the token limit.
        CallCutByLength,
        /// The model declined, and the provider says so.
        Refusal,
        /// The provider's filter cut the answer.
        ContentFilter,
        /// The provider's filter blocked the prompt itself as prohibited.
        PromptProhibited,
        /// The provider asks for the turn to be continued.
        Pause,
        /// The context window was full before the token limit was reached.
        ContextFull,
        /// A finish word that nobody knows.
        UnknownFinish,
        /// Text, and nothing that says why it ended.
        FinishMissing,
        /// A good answer whose other members are all null.
        NullMembers,
        /// A good answer with members that nobody knows.
        UnknownMembers,
        /// A good end, and nothing before it.
        NoContent,
        /// No token counts.
        UsageAbsent,
        /// Part of the prompt came from a cache.
        CachedPrompt,
        /// Thinking between tags at the beginning of the text.
        LeakedThinking,
        /// Several choices, of which the first counts.
        FirstChoiceOnly,
        /// A server error inside a 200, before anything else.
        ErrorInside,
        /// A rate limit inside a 200.
        RateLimitInside,
        /// An overload inside a 200.
        OverloadInside,
        /// A page of HTML with status 200.
        Markup,
        /// Bytes that are no UTF-8 inside a text.
        NotUtf8,
        /// A byte order mark.
        ByteOrderMark,
    }
    whole {
        /// `{}`.
        EmptyObject,
        /// JSON that is no reply.
        OtherJson,
        /// A body that breaks off.
        CutBody,
        /// No byte at all.
        NoBody,
    }
    stream {
        /// Two tool calls whose arguments come in turns.
        InterleavedCalls,
        /// A tool call in one piece.
        WholeCallInOnePiece,
        /// A tool call whose id comes with every piece.
        CallIdRepeated,
        /// Tool calls that the wire numbers from 1.
        CallsFromOne,
        /// Tool calls without a number.
        CallsUnnumbered,
        /// Token counts after the finish word.
        UsageAfterFinish,
        /// A good end without the terminator.
        TerminatorMissing,
        /// More data after the terminator.
        DataAfterTerminator,
        /// An error between reasoning and text.
        ErrorAfterReasoning,
        /// An error after some text.
        ErrorAfterText,
        /// It breaks off before any content.
        CutBeforeContent,
        /// It breaks off in the reasoning.
        CutInReasoning,
        /// It breaks off in the text.
        CutInText,
        /// It breaks off in the arguments of a call.
        CutInCall,
        /// It breaks off after the finish word, in the middle of what follows.
        CutAfterFinish,
        /// No byte at all.
        EmptyStream,
        /// Signs of life between the pieces.
        KeepAlives,
        /// An event of a kind that nobody knows.
        UnknownEvent,
        /// Lines that end in CR LF.
        CrLf,
        /// Lines that end in CR alone.
        LoneCr,
        /// Comments.
        Comments,
        /// Data over several lines.
        DataOverLines,
        /// No space after the colon.
        NoSpaceAfterColon,
        /// Nothing after the last piece's text: no blank line, no line end.
        NoLastLineEnd,
        /// A whole body where a stream was asked for.
        WholeBodyInStream,
        /// A line over the limit.
        GiantLine,
        /// An event over the limit whose lines are not.
        GiantEvent,
        /// An answer over the limit, in pieces that are not.
        GiantAnswer,
    }
    error {
        /// The key is wrong.
        WrongKey,
        /// The key may not do this.
        NoPermission,
        /// There is no such model.
        NoSuchModel,
        /// The request is wrong.
        BadRequest,
        /// The request is too large.
        TooLarge,
        /// Too many requests.
        RateLimit,
        /// Too many requests, and the body says how long to wait.
        RateLimitWithDelay,
        /// Money or quota is used up.
        QuotaGone,
        /// The prompt does not fit the window.
        ContextTooLong,
        /// This model does not take a parameter.
        Unsupported,
        /// A filter blocked the prompt.
        PromptFiltered,
        /// The server failed.
        ServerFault,
        /// The server is overloaded.
        Overloaded,
        /// A proxy's page.
        MarkupError,
        /// No body.
        EmptyError,
    }
}
