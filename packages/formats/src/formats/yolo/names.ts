/** Reads the names of classes by their numbers. */
import type { ZipReader } from '../../archive/zip-reader.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf } from '../../text/paths.ts'
import { linesOf } from '../../text/text-lines.ts'
import { yamlNames } from './yaml-names.ts'

export interface ClassNames {
  file: string
  byNumber: ReadonlyMap<number, string>
}

/** Returns whether a member contains class names, in any of the names that tools use. */
export const isNamesFile = (member: string): boolean => namesFile.test(baseOf(member))

const namesFile =
  /^(?:.+\.names|_darknet\.labels|(?:_|predefined_)?classes\.txt|class_(?:list|names)\.txt|labels\.txt|data(?:set)?\.ya?ml)$/i

/** Returns the least nested file of class names; in one folder, the name that Darknet uses is preferred. */
export function findNamesFile(members: Iterable<string>): string | undefined {
  const rank = (member: string): number =>
    2 * member.split('/').length + (/obj\.names$/i.test(member) ? 0 : 1)
  return [...members].filter(isNamesFile).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))[0]
}

const mostYamlBytes = 1_048_576

/** Finds a YAML file of training tools by its content, because it may be named after the dataset. */
export async function findYaml({ files, bytes }: ZipReader): Promise<string | undefined> {
  for (const entry of files.values()) {
    if (!/\.ya?ml$/i.test(entry.name) || entry.size > mostYamlBytes) continue
    if (/^names\s*:/m.test(Buffer.from(await bytes(entry)).toString('latin1'))) return entry.name
  }
  return undefined
}

/** Reads class names: one per line without blank lines, or from a data.yaml. */
export async function readNames(zip: ZipReader, file: string): Promise<ClassNames> {
  const entry = zip.files.get(file)
  if (!entry) throw new FormatError('the file of class names is missing', { file })
  const lines = linesOf(await zip.bytes(entry), file).map(({ text }) => text)
  if (/\.ya?ml$/i.test(file)) return { file, byNumber: yamlNames(lines, file) }
  const names = lines.map((text) => text.trim()).filter((text) => text !== '')
  return { file, byNumber: new Map(names.entries()) }
}
