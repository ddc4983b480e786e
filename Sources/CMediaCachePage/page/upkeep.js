// What keeps the cache in order: the limits applied now, and all that is kept compared with its checksums.

import { api, sentence } from "./api.js";
import { check } from "./dialogs.js";
import { make, say } from "./elements.js";
import { bytes, counted, nameOf } from "./format.js";
import { report, settle } from "./problems.js";

/** @param {() => void} changed called when something was given up */
export function upkeep(changed) {
  const repair = check("Fetch again what is damaged");
  const result = make("p", { id: "storage-result", role: "status" });
  const findings = make("ul.findings", { role: "list", hidden: true });

  const button = (label, busy, work) => {
    const element = make("button.quiet", { type: "button" }, label);
    element.addEventListener("click", async () => {
      if (element.getAttribute("aria-disabled")) return;
      element.setAttribute("aria-disabled", "true");
      findings.hidden = true;
      say(result, busy);
      try {
        say(result, await work());
      } catch (error) {
        say(result, sentence(error.message));
      } finally {
        element.removeAttribute("aria-disabled");
        changed();
      }
    });
    return element;
  };

  const prune = button("Apply limits now", "Applying the limits…", async () => {
    const { bytesFreed } = await api.prune();
    return bytesFreed ? `${bytes(bytesFreed)} were given up.` : "All is within the limits: nothing was given up.";
  });
  const verify = button("Check all that is kept",
    "Reading all that is kept, and comparing it with its checksums. This takes as long as the disk does.",
    async () => {
    const found = await api.verify(repair.input.checked);
    showFindings(findings, found.findings);
    const looked = `${counted(found.resources, "resource")}, ${bytes(found.bytes)}`;
    if (!found.findings.length) {
      settle("verify");
      return `All is as it should be: ${looked} were read.`;
    }
    const left = found.findings.filter(({ isRepaired }) => !isRepaired).length;
    if (left) report("verify",
      `${counted(left, "stretch", "stretches")} of what is kept ${left === 1 ? "is" : "are"} damaged. Check again with “Fetch again what is damaged”, and look at the disk.`,
      { label: "Storage", href: "#/storage" }
    );
    else settle("verify");
    return `${counted(found.findings.length, "stretch", "stretches")} ${left ? "damaged" : "damaged, and given up to be fetched again"}: ${looked} were read.`;
  });
  return make("div.upkeep", {}, make("div.buttons", {}, prune, verify, repair.label), result, findings);
}

function showFindings(list, findings) {
  list.hidden = findings.length === 0;
  list.replaceChildren(...findings.slice(0, 50).map(({ key, start, end, problem, isRepaired }) => make("li", {},
    `${nameOf(key)}, ${bytes(end - start)} at ${bytes(start)}: ${sentence(problem)}${isRepaired ? " It will be fetched again." : ""}`)));
}
