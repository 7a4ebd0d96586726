/** Reads the layout of a KITTI archive: folders of boxes, masks and images, inside a folder for each subset. */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { isImageName } from '../../text/paths.ts'
import { labelColorsName, readLabelColors } from './label-colors.ts'

export interface KittiArchive {
  zip: ZipReader
  /** Labels that the archive declares, if any. */
  declared: readonly MapLabel[] | undefined
  /** In order of names. */
  subsets: KittiSubset[]
}

export interface KittiSubset {
  name: string
  /** In order of their ids. */
  items: KittiItem[]
}

const kinds = ['label_2', 'instance', 'semantic', 'semantic_rgb', 'image_2'] as const

/** Members of an image, by their folder. */
export interface KittiItem extends Partial<Record<(typeof kinds)[number], string>> {
  /** Possible paths of the image, without extension, most likely first. */
  paths: readonly string[]
}

/**
 * Opens a KITTI archive.
 * @throws {FormatError} when the upload is not an archive or contains no KITTI files
 */
export async function openKitti(source: RandomAccess, run: ConversionRun): Promise<KittiArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const colors = names.find((name) => `/${name}`.endsWith(`/${labelColorsName}`))
  const subsets = new Map<string, Map<string, KittiItem>>()
  for (const member of names) {
    const found = placeOf(member)
    if (found) add(subsets, found, member)
    else if (member !== colors) {
      const reason = 'it is no file of boxes or masks'
      run.report.note('skipped', 'ignored-file', reason, { file: member })
    }
  }
  const items = [...subsets.values()].flatMap((subset) => [...subset.values()])
  const entry = zip.files.get(colors ?? '')
  const declared = entry && readLabelColors(await zip.bytes(entry), entry.name)
  if (declared?.length === 0 && items.some(({ instance, semantic }) => instance ?? semantic))
    throw new FormatError('the file has no labels', { file: entry?.name })
  if (!declared?.length && !items.some(isAnnotated))
    throw new FormatError(
      'no KITTI annotations: expected <subset>/label_2/<image>.txt or <subset>/instance/<image>.png',
    )
  const named = sortedByKey(subsets).map(([name, own]) => {
    return { name, items: sortedByKey(own).map(([, item]) => item) }
  })
  return { zip, declared, subsets: named }
}

const sortedByKey = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))

/** Returns whether the image has files that may contain annotations. */
export const isAnnotated = (item: KittiItem): boolean =>
  kinds.some((kind) => kind !== 'image_2' && item[kind] !== undefined)

interface Found {
  kind: (typeof kinds)[number]
  subset: string
  /** Folder around those of the subset, which distinguishes equal ids in several subsets. */
  around: string
  paths: readonly string[]
}

/**
 * Returns subset and paths of a member. The subset is the folder around a known folder or, without one, the folder
 * inside it.
 */
function placeOf(member: string): Found | undefined {
  const parts = member.split('/')
  const at = parts.findIndex((part, index) => index < parts.length - 1 && isKind(part))
  const kind = kinds.find((one) => one === parts[at])
  const path = /^(.+)\.([^./]+)$/.exec(parts.slice(at + 1).join('/'))
  if (!kind || !path) return undefined
  const isSelected =
    kind === 'image_2' ? isImageName(member) : path[2]?.toLowerCase() === endings[kind]
  if (!isSelected) return undefined
  const [id = ''] = path.slice(1)
  const around = parts.slice(0, at).join('/')
  if (at > 0) return { kind, around, subset: parts[at - 1] ?? '', paths: [id] }
  const [folder = '', ...rest] = id.split('/')
  if (rest.length === 0) return { kind, around, subset: 'default', paths: [id] }
  return { kind, around, subset: folder, paths: [id, rest.join('/')] }
}

const isKind = (part: string): boolean => kinds.some((kind) => kind === part)

const endings = { label_2: 'txt', instance: 'png', semantic: 'png', semantic_rgb: 'png' }

function add(
  subsets: Map<string, Map<string, KittiItem>>,
  { kind, subset, around, paths }: Found,
  member: string,
): void {
  const items = subsets.get(subset) ?? new Map<string, KittiItem>()
  subsets.set(subset, items)
  const key = `${around} ${paths[0]}`
  const item = items.get(key) ?? { paths }
  item[kind] ??= member
  items.set(key, item)
}
