import type { Facts } from '@reticle/contracts/rest/facts'
import { invalid } from '@reticle/kit'

interface Named {
  target: 'project' | 'task' | 'job'
  target_id: number
  format: string
  save_images: boolean
  facts: Pick<Facts, 'updated_date'>
}

const longest = 255 // bytes

/**
 * What the file of an export is called when it is downloaded (`spec/api-annotations.md` 2.2): the wanted name without its
 * control characters, else one that says what it is.
 *
 * @throws DomainError invalid for a name that is a path or too long
 */
export function downloadName(wanted: string | undefined, given: Named): string {
  return chosenName(wanted, defaultName(given))
}

/** The same for what has another name by default. */
export function chosenName(wanted: string | undefined, usual: string): string {
  const name = (wanted ?? '').replace(/\p{Cc}/gu, '').trim()
  if (name === '') return usual
  if (/[/\\]/.test(name)) throw invalid({ filename: 'A file name has no path separators.' })
  if (Buffer.byteLength(name) > longest)
    throw invalid({ filename: `A file name has at most ${longest} bytes.` })
  return name
}

function defaultName({ target, target_id, format, save_images, facts }: Named): string {
  const what = save_images ? 'dataset' : 'annotations'
  const date = facts.updated_date.slice(0, 19).replace(/[-T:]/g, '_')
  return `${target}_${target_id}_${what}_${date}_${format}.zip`.toLowerCase()
}
