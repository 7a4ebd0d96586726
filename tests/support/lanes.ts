/** The settings `RETICLE_TEST_*` of one set of real servers, used by one file at a time. */
export type Lane = Record<string, string>

/** Returns the sets that `npm run test:cluster` has started; undefined if vitest was started directly. */
export function readLanes(): Lane[] | undefined {
  const { RETICLE_TEST_LANES: given } = process.env
  return given ? JSON.parse(given) : undefined
}
