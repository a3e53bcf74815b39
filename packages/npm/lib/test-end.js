// Lets something end with the test that made it, in the test runners that say which test runs.

/**
 * `context` is what the runner gives a test. Without it, the test that runs is asked for. Where none does, or the runner
 * cannot say which, nothing happens here: the folder goes when the process exits, and the stand-in with it.
 */
export async function endsWithTest(double, context) {
  const end = () => double.end();
  if (context !== undefined) {
    const register = context.onTestFinished ?? context.after;
    if (typeof register !== "function") throw new TypeError("'context' is not a context of a test of vitest or node:test");
    register.call(context, end);
  } else if (process.env.VITEST) {
    const vitest = await import("vitest").catch(unknown);
    // Before 4.1, another module has it, which warns since then.
    const runner = vitest?.TestRunner ?? (vitest && (await import("vitest/suite").catch(unknown)));
    const test = runner?.getCurrentTest();
    // Of tests that run at once, vitest knows the last one only.
    if (test && !test.concurrent) vitest.onTestFinished(end);
  } else if (process.env.NODE_TEST_CONTEXT) {
    const { after } = await import("node:test");
    // Called when the test ends or, in a hook, when the hook does. `context` is what the hook belongs to: a test, the file,
    // or a suite, which cannot be asked to end anything. What a test is given this late, Node.js runs from 20.19 and 22.13 on.
    after((context) => context.after?.(end));
  }
}

/** This package may be where it finds no vitest, as one that is linked. */
function unknown({ message }) {
  process.emitWarning(`vitest cannot be asked which test runs; give fakeCodex the option 'context' (${message})`, "CodexWireWarning");
}
