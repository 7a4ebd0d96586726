import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** A fenced block of a document. */
export interface DocumentBlock {
  document: string
  /** Line of its start. */
  line: number
  /** Language after its fence: `sh`, `ts`, or empty. */
  language: string
  text: string
  /** The file that its marker names: `<!-- executed by tests/e2e/readme.test.ts -->`. */
  by: string | undefined
}

/** Reads every fenced block. Its marker is in the line above, and may continue after a colon. */
export function blocksOf(document: string): DocumentBlock[] {
  const text = readFileSync(join(root, document), 'utf8')
  const pattern =
    /(?:^<!-- (?:executed|checked) by ([\w./-]+)(?:: [^>]*)? -->\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm
  return [...text.matchAll(pattern)].map(
    ({ index, 0: whole, 1: by, 3: language = '', 4: inside = '' }) => {
      const line = text.slice(0, index).split('\n').length + (whole.startsWith('<!--') ? 1 : 0)
      return { document, line, language, text: inside, by }
    },
  )
}

/**
 * Returns the blocks of a document that are marked for a file.
 * @throws Error if there are none, because the test would check nothing
 */
export function markedFor(document: string, by: string): string[] {
  const marked = blocksOf(document).filter((block) => block.by === by)
  if (marked.length === 0) throw new Error(`${document} marks no block for ${by}`)
  return marked.map(({ text }) => text)
}
