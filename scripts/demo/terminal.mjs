const isTerminal = process.stdout.isTTY

/**
 * Prints one line per step; on a terminal it shows a bar while the step runs.
 * @param {string} title
 */
export function startStep(title) {
  const began = Date.now()
  /** @param {number} share */
  const bar = (share) => '█'.repeat(Math.round(share * 24)).padEnd(24, '░')
  /** @param {string} text */
  const line = (text) => (isTerminal ? process.stdout.write(`\r\x1b[2K${text}`) : undefined)
  line(`  … ${title}`)
  return {
    /** @param {number} share */
    progress: (share) => line(`  ${bar(share)} ${title}`),
    /** @param {string} text */
    done: (text) => {
      line('')
      console.log(`  ✓ ${title}: ${text} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    },
  }
}
