//! Sentences of servers that end up where an answer should be. Data only, in plain spelling, with `|` between.

/// What an error message says first or alone.
pub(crate) static ERRORS: &str = "an error occurred|an error has occurred|an unexpected error|an internal error|\
     internal server error|something went wrong|bad gateway|service unavailable|gateway timeout|\
     gateway time-out|service temporarily unavailable|too many requests|rate limit exceeded|\
     rate limit reached|rate limited|model not found|model is currently overloaded|\
     model is overloaded|server is overloaded|server is busy|currently at capacity|\
     upstream connect error|upstream request timeout|request timed out|request timeout|\
     the request timed out|connection timed out|connection reset|connection refused|connection error|\
     quota is used up|quota exceeded|quota has been exceeded|exceeded your current quota|\
     insufficient quota|insufficient credits|insufficient balance|out of credits|invalid api key|\
     incorrect api key|missing api key|unauthorized|failed to generate|could not generate a response|\
     unable to generate a response|no response from|no response received|network error|fetch failed|\
     context length exceeded|maximum context length|error communicating with|\
     error generating response|error processing your request|error while processing|\
     error in processing|cuda out of memory|out of memory|traceback (most recent call last)|\
     stream error|temporarily unavailable|under maintenance|access denied|403 forbidden|\
     404 not found|500 internal|502 bad gateway|503 service|504 gateway|429 too many|\
     401 unauthorized|error code:|detail\":\"not found|detail\": \"not found|\
     the generated text has been blocked|une erreur est survenue|une erreur s'est produite|\
     ein fehler ist aufgetreten|es ist ein fehler aufgetreten|ha ocurrido un error|\
     se ha producido un error|ocurrio un error|ocorreu um erro|si e verificato un errore|\
     er is een fout opgetreden|er is iets misgegaan|ett fel uppstod|ett fel intraffade|wystapil blad|\
     doslo k chybe|произошла ошибка|сталась помилка|bir hata olustu|حدث خطا|एक त्रुटि|da xay ra loi|\
     terjadi kesalahan|오류가 발생|エラーが発生|发生错误|发生了错误|出现错误|出错了|服务器繁忙|请求过于频繁|系统繁忙|發生錯誤|서버 오류|서비스를 이용할 수 없|\
     サーバーエラー";

/// What an error message adds: that one should come again, pay or complain.
pub(crate) static COME_AGAIN: &str = "try again|try later|retry|please wait|slow down|later|upgrade your plan|contact support|\
     contact us|contact the|our end|reset reason|check your|help center|support team|billing|\
     request id|check https|check http|ressayer|reessayer|erneut|spater|de nuevo|mas tarde|novamente|\
     mais tarde|riprova|piu tardi|opnieuw|forsok igen|ponownie|pozniej|znovu|попробуйте|позже|\
     повторите|спробуйте|tekrar|مرة اخرى|पुनः|thu lai|coba lagi|다시 시도|잠시 후|再試行|後ほど|もう一度|重试|稍后|再试|稍後";

/// What the title or heading of an error page says.
pub(crate) static PAGE_SIGNS: &str = "bad gateway|service unavailable|gateway time|internal server error|not found|forbidden|\
     unauthorized|too many requests|access denied|error 5|error 4|error:|just a moment|captcha|\
     attention required|cloudflare|nginx|apache|502|503|504|500|404|403|429|error</|\
     request could not be satisfied|site can't be reached|temporarily unavailable|under maintenance|\
     checking your browser|enable javascript|sign in|log in";
