// The behaviours of a page. Each module attaches itself to elements by data
// attributes, and none of them is needed to read or to send.
import "./theme.js";
import "./time.js";
import "./copy.js";
import "./toast.js";
import "./card.js";
import "./files.js";
import "./composer.js";
import "./answers.js";
import "./follow.js";
import "./live.js";
