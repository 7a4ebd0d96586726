/** The settings `RETICLE_TEST_*` of one set of real servers, which one file at a time has for itself. */
export type Lane = Record<string, string>

/** The sets that `npm run test:cluster` has started; nothing where vitest was started by itself. */
export function readLanes(): Lane[] | undefined {
  const { RETICLE_TEST_LANES: given } = process.env
  return given ? JSON.parse(given) : undefined
}
