/** How an object was created, as annotations store it. */
const sources = ['manual', 'auto', 'semi-auto', 'file', 'consensus'] as const
type ObjectSource = (typeof sources)[number]

/** Characters of a source in the reason of a report entry. */
const longestShown = 100

/**
 * Reads the source of an object from a file; undefined when it is missing. Other servers store further sources, such as
 * "Ground truth": these become `manual`.
 *
 * @param note Reports an unknown source
 */
export function readSource(
  given: unknown,
  note?: (reason: string) => void,
): ObjectSource | undefined {
  if (given === undefined || given === null || given === '') return undefined
  const known = sources.find((one) => one === given)
  if (known) return known
  if (!note) return 'manual'
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
  note(`the source "${shown}" is unknown, it becomes manual`)
  return 'manual'
}
