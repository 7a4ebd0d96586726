/** Text tables: one line per object, columns as wide as their content. */

export interface TableColumn<Row> {
  title: string
  /** Text of the cell; may be empty. */
  of(row: Row): string
  isNumber?: boolean
}

/** Gap between two columns. */
const gap = '  '
/** Minimum width of a truncated column, in characters. */
const leastWidth = 6

/**
 * Returns the lines of a table, header first. Columns that exceed the terminal are truncated with an ellipsis, widest
 * first.
 *
 * @param width characters per line; infinite without a terminal
 */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  width: number,
): string[] {
  const cells = [columns.map(({ title }) => title)]
  for (const row of rows) cells.push(columns.map((column) => replaceControls(column.of(row))))
  const naturalWidths = columns.map((_, index) =>
    Math.max(...cells.map((line) => widthOf(line[index]))),
  )
  const widths = fitWidths(naturalWidths, width - gap.length * (columns.length - 1))
  return cells.map((line) =>
    line
      .map((cell, index) =>
        padCell(truncateCell(cell, widths[index] ?? 0), widths[index] ?? 0, columns[index]),
      )
      .join(gap)
      .trimEnd(),
  )
}

/** Returns a line per field of one object. */
export function recordLines(record: readonly (readonly [string, string])[]): string[] {
  const widest = Math.max(0, ...record.map(([name]) => widthOf(name)))
  return record.map(([name, value]) => {
    const indented = replaceControls(value, true).replaceAll('\n', `\n${' '.repeat(widest)}${gap}`)
    return `${name}${' '.repeat(widest - widthOf(name))}${gap}${indented}`.trimEnd()
  })
}

/** Shrinks the widest columns until all fit. */
function fitWidths(naturalWidths: readonly number[], width: number): number[] {
  const widths = [...naturalWidths]
  for (let over = sumOf(widths) - width; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= leastWidth) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

function padCell(text: string, width: number, column: { isNumber?: boolean } = {}): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return column.isNumber ? `${space}${text}` : `${text}${space}`
}

function truncateCell(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 1
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    kept += character
  }
  return `${kept}…`
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Returns the display width of a text. */
export function widthOf(text = ''): number {
  let width = 0
  for (const character of text)
    width += /\p{M}|\u200d/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}

/** Replaces control characters, because names from other users must not control the terminal. */
export function replaceControls(text: string, keepsLines = false): string {
  return text.replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    keepsLines && character === '\n' ? character : '\ufffd',
  )
}
