/** The last words of a run: how many tests, how many pages axe looked at, how long it took. */
export default class Summary {
  constructor() { this.counts = { passed: 0, failed: 0, skipped: 0 }; this.failed = []; this.axe = 0; this.began = Date.now(); }

  onTestEnd(test, result) {
    const word = result.status === 'passed' ? 'passed' : result.status === 'skipped' ? 'skipped' : 'failed';
    this.counts[word]++;
    if (word === 'failed') this.failed.push(test.titlePath().filter(Boolean).join(' > '));
    for (const note of result.annotations ?? test.annotations) if (note.type === 'axe') this.axe += Number(note.description);
  }

  onEnd(result) {
    const { passed, failed, skipped } = this.counts;
    const seconds = Math.round((Date.now() - this.began) / 1000);
    console.log(`\nBrowser tests: ${passed} passed, ${failed} failed, ${skipped} skipped, in ${Math.floor(seconds / 60)} min ${seconds % 60} s (${result.status}).`);
    if (this.axe) console.log(`Axe, all WCAG 2.0-2.2 A and AA rules: ${this.axe} looks at pages, light and dark.`);
    for (const name of this.failed) console.log(`  failed: ${name}`);
  }

  printsToStdio() { return true; }
}
