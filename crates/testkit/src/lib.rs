//! A scripted provider on a real socket that misbehaves byte by byte and on time; recordings; a hand-moved clock.
