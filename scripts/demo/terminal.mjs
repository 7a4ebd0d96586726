const isTerminal = process.stdout.isTTY

/** Prints one line per step; on a terminal it shows a bar while the step runs. */
export function startStep(title) {
  const began = Date.now()
  const bar = (share) => '█'.repeat(Math.round(share * 24)).padEnd(24, '░')
  const line = (text) => (isTerminal ? process.stdout.write(`\r\x1b[2K${text}`) : undefined)
  line(`  … ${title}`)
  return {
    progress: (share) => line(`  ${bar(share)} ${title}`),
    done: (text) => {
      line('')
      console.log(`  ✓ ${title}: ${text} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    },
  }
}
