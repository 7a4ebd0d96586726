import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/root.ts'

/** One line of text that people read: of a comment, a test title, a log message or a document. */
export interface ProseLine {
  /** Path from the root. */
  path: string
  /** Counted from 1. */
  line: number
  text: string
}

const skipped = /^(?:node_modules|dist|generated|gen|\..*)$/

/** Sources and documents of the repository, without generated files. */
export function listProseFiles(folder = '.'): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : listProseFiles(path)
    return /\.(?:ts|tsx|mjs|md)$/.test(path) && !path.endsWith('.d.ts') ? [path] : []
  })
}

/** Returns the prose of a file, line by line. */
export function readProse(path: string): ProseLine[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  const texts = path.endsWith('.md') ? textsOfDocument(lines) : lines.map(textOfCode)
  return texts.flatMap((text, index) => (text ? [{ path, line: index + 1, text }] : []))
}

/** Lines outside of code blocks. */
function textsOfDocument(lines: readonly string[]): (string | undefined)[] {
  let isCode = false
  return lines.map((line) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isCode = !isCode
    return isCode || isFence ? undefined : line
  })
}

const title = /\b(?:test|it|describe)(?:\.\w+)*\(\s*(['"`])(.+?)\1/
const message = /\blog(?:ger)?\.\w+\(.*?(['"`])([^'"`]{8,})\1/

function textOfCode(line: string): string | undefined {
  const code = line.trim()
  if (/^(?:\/\/|\*|\/\*)/.test(code)) return code.replace(/^[/* ]+/, '')
  const comment = /(?:^|[\s;])\/\/\s([^'].*)$/.exec(code)
  return comment?.[1] ?? title.exec(code)?.[2] ?? message.exec(code)?.[2]
}

/** The text without names of code. */
export const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, ' ')

/** Folder of a package or an app, or the first folder; `.` for files in the root. */
export const roomOf = (path: string): string =>
  /^(?:(?:apps|packages)\/[^/]+|[^/]+(?=\/))/.exec(path)?.[0] ?? '.'
