/** Page of a generated PDF. Lengths are in points of 1/72 inch, from the lower left corner. */
export interface PdfPage {
  width: number
  height: number
  /** Clockwise rotation for display, in degrees. */
  rotate?: number
  /** Filled rectangle. */
  box?: { x: number; y: number; width: number; height: number; color: 'red' | 'green' | 'blue' }
  /** Additional drawing operators. */
  content?: string
  resources?: string
}

export interface PdfExtras {
  /** Objects of the file, starting with `3 0 R`. */
  objects?: readonly string[]
  /** Additional entries of the trailer. */
  trailer?: string
}

const colors = { red: '1 0 0', green: '0 1 0', blue: '0 0 1' }

/** Writes a simple PDF: nothing is compressed, and every object is in the cross-reference table. */
export function writePdf(
  pages: readonly PdfPage[],
  { objects = [], trailer = '' }: PdfExtras = {},
): Buffer {
  const first = 3 + objects.length
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`)
  const all = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(' ')}] >>`,
    ...objects,
    ...pages.flatMap((page, index) => [
      pageOf(page, first + index * 2 + 1),
      streamOf(drawing(page)),
    ]),
  ]
  let text = '%PDF-1.7\n'
  const table = all.map((one, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${one}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const size = all.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table.join('')}${end}`,
    'latin1',
  )
}

/**
 * Formats a stream object.
 * @param dictionary its dictionary entries besides the length
 */
export const streamOf = (content: string, dictionary = ''): string =>
  `<< /Length ${content.length} ${dictionary} >>\nstream\n${content}\nendstream`

function pageOf({ width, height, rotate = 0, resources = '' }: PdfPage, content: number): string {
  const box = `/MediaBox [0 0 ${width} ${height}] /Rotate ${rotate}`
  return `<< /Type /Page /Parent 2 0 R ${box} /Resources << ${resources} >> /Contents ${content} 0 R >>`
}

function drawing({ box, content = '' }: PdfPage): string {
  if (!box) return content
  const { x, y, width, height, color } = box
  return `${colors[color]} rg ${x} ${y} ${width} ${height} re f ${content}`
}

/** Trailer of a file that needs an unknown password. */
export const lockedTrailer = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<${'43'.repeat(16)}> <${'43'.repeat(16)}>]`

/** Writes a page that takes extremely long to draw: the colour of each pixel needs ten thousand steps. */
export function endlessPdf(): Buffer {
  const steps = `{ pop ${'dup pop '.repeat(5000)} dup dup }`
  const ofFunction = '/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]'
  const ofShading = '/ShadingType 1 /ColorSpace /DeviceRGB /Function 3 0 R'
  const page: PdfPage = {
    width: 7200,
    height: 7200,
    content: '/S sh',
    resources: `/Shading << /S << ${ofShading} /Matrix [7200 0 0 7200 0 0] >> >>`,
  }
  return writePdf([page], { objects: [streamOf(steps, ofFunction)] })
}

/** Writes a page that exhausts memory: each of its forms draws the next one two thousand times. */
export function greedyPdf(): Buffer {
  const depth = 5
  const objects = Array.from({ length: depth }, (_, index) => {
    const isLast = index === depth - 1
    const next = isLast ? '' : `/Resources << /XObject << /X ${index + 4} 0 R >> >>`
    const content = isLast ? '0 0 1 1 re f' : '/X Do '.repeat(2000)
    return streamOf(content, `/Type /XObject /Subtype /Form /BBox [0 0 100 100] ${next}`)
  })
  const page = { width: 100, height: 100, content: '/X Do', resources: '/XObject << /X 3 0 R >>' }
  return writePdf([page], { objects })
}
