import { longestTitle, mostChapters } from '../decoder.ts'
import type { ChapterFacts } from '../engine.ts'

const startLine =
  /^ {4}Chapter #\d{1,9}:\d{1,9}: start (-?\d{1,20}\.\d{6}), end (-?\d{1,20}\.\d{6})$/
/** Title field of a chapter, its name padded to 16 characters; further lines of its text have spaces as name. */
const titleLine = /^ {8}(title| {5}) {11}: (.*)$/s
/** Line outside the fields of a chapter: fields are indented by 8, the heading above them by 6. */
const outsideLine = /^ {0,5}\S/

/**
 * Reads chapters in the description that FFmpeg writes of a file:
 *
 *     Chapter #0:0: start 0.000000, end 1.500000
 *       Metadata:
 *         title           : One
 *
 * FFmpeg writes at most 255 bytes of each line of a title.
 *
 * @param onFull called when one chapter more than `mostChapters` was found, which ends the reading
 */
export function listenForChapters(onFull: () => void) {
  const found: ChapterFacts[] = []
  let current: ChapterFacts | undefined
  let isInTitle = false
  const startChapter = (start: string, end: string) => {
    if (found.length > mostChapters) return
    current = { start: Number(start), end: Number(end), title: '' }
    if (found.push(current) > mostChapters) onFull()
  }
  const readText = (line: string) => {
    const [, name, text = ''] = titleLine.exec(line) ?? []
    const isTitle = name === 'title'
    isInTitle = isTitle || (isInTitle && name !== undefined)
    if (!current || !isInTitle) return
    if (isTitle) current.title = withoutCut(text)
    else if (current.title.length < mostUnits) current.title += `\n${withoutCut(text)}`
  }
  return {
    found,
    onLine: (line: string) => {
      if (!outsideLine.test(line)) return readText(line)
      current = undefined
      isInTitle = false
      const [, start, end] = startLine.exec(line) ?? []
      if (start !== undefined && end !== undefined) startChapter(start, end)
    },
  }
}

/** Length in UTF-16 units after which a title is not continued: a character has one or two units. */
const mostUnits = longestTitle * 2

/** Removes the rest of a character that was cut. */
const withoutCut = (text: string) => text.replace(/\uFFFD{1,3}$/, '')
