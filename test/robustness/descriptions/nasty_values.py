"""Values that a number, a name or a text in a file should not have."""

__all__ = ["DIGITS", "NAMES", "NUMBERS", "TEXTS"]

#: Numbers: not finite, at the ends of what a float holds, large and small, signed zeros, and plain ones.
NUMBERS = (
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "INF", "1.#INF", "1.#QNAN", "nan(7)"),
    *("1e308", "-1e308", "1e309", "1.7976931348623157e308", "1e-308", "5e-324", "1e-400", "1e155", "1e-155"),
    *("1e100", "1e60", "1e50", "-1e50", "1e30", "1e20", "1e15", "1e12", "1e9", "1e6", "-1e6", "1000"),
    "-1000",
    *("1e-6", "1e-9", "1e-12", "1e-15", "1e-20", "1e-30", "1e-50", "1e-100", "-0", "-0.0", "0", "0.0"),
    *("1", "-1", "2", "0.5", "3.141592653589793", "1.5707963267948966", "6.283185307179586"),
    *("+1", "1.", ".5", "1E3", "1e+3", "00012", "1" + "0" * 40, "0." + "3" * 400, "9" * 5000),
)
#: What float() of some language reads and a decimal number is not.
DIGITS = (
    "\u0661.\u0665",  # Arabic-Indic digits
    "\uff11\uff0e\uff15",  # full-width
    "\uff11",
    "\u0967\u0968",  # Devanagari
    "\u00b2",  # a superscript
    "\u00bd",  # a fraction
    "\u2212" + "1",  # a minus sign that is no hyphen
    "1\u00a0",  # a no-break space
    "1\u20032",
    "1\u20282",  # a line separator
    "\u200b1",  # a space without width
    "1\ufeff",
    *("1,5", "0x10", "0x1p3", "0b1", "0o7", "1_000", "1e", "e5", "--1", "+-1", "1e1.5", "1.5.2", "1d5", "1f"),
    *("1 000", "1;2", "(1)", "1/2", "${1}", "$(arg x)", "${pi/2}", "True", "yes", "null", "None", "~"),
    "1:30",
)
TEXTS = (
    *("", " ", "\t\n", "&#0;", "&#1;", "&#xFFFE;", "&#xD800;", "&#x110000;", "&lt;", "&amp;", "&undefined;"),
    *("\0", "\x01", "\x1b[2J", "\x7f", "\u0085", "\u202e", "\ufffd", "\ud800", "\udfff", "\U0001f916"),
    *("a" * 20_000, "'", "<", ">", "]]>", "--", "<!--", "-->", "%s%n", "{0}", "{", "\\", "../../etc"),
    "/dev/zero",
    *("__proto__", "root_joint", "universe", "world", "base_link", "0", "e\u0301", "\u00e9", "\u5de6", "a b"),
)
NAMES = (
    *("", " ", "a" * 20_000, "\u5de6", "e\u0301", "a b", "a/b", "a\tb", "&#10;", "root_joint"),
    *("universe", "0"),
    *("x\u00a0", "\u202eabc", "\U0001f916", "__line__", "{x}", "%s", "${x}", "name", "link", "joint", "nan"),
)
