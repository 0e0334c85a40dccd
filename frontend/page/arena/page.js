// The arena: voting, what came of it, and the same questions for several reasoners.

import { ArenaAnswers } from "./answers.js";
import { ArenaRanking } from "./ranking.js";
import { ArenaVote } from "./vote.js";
import { say } from "../data/facts.js";
import { define } from "../parts/element.js";
import { PageTabs } from "../parts/page_tabs.js";
import { html } from "../vendor/preact.js";

const PANELS = { vote: ArenaVote, ranking: ArenaRanking, answers: ArenaAnswers };

const Arena = () => html`
  <${PageTabs} id="arena" label=${say("arena.tabs")} panels=${PANELS} words=${(name) => say(`arena.tab_${name}`)} />
`;

define("o-arena", Arena);
