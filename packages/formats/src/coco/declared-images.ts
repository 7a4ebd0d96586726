import type { RandomAccess } from '../archive/source.ts'
import type { JsonRecord } from '../json/fields.ts'
import type { ConversionRun, DeclaredImage } from '../model.ts'
import { findCocoFiles, rootOfSet } from './files.ts'
import { pathsOf, recordsOf, scanFile, sizeOf } from './names.ts'

/** Yields the images with the sizes that annotation files declare, under the paths that exports use. */
export async function* declaredCocoImages(
  source: RandomAccess,
  run: ConversionRun,
): AsyncGenerator<DeclaredImage> {
  for (const file of await findCocoFiles(source, run)) {
    const root = rootOfSet(file.name)
    const selects = (key: string) => key === 'images'
    for await (const member of scanFile(file, { selects }, () => run.signal.throwIfAborted())) {
      if (member.key !== 'images') continue
      for (const { record } of recordsOf(member, file, 'image')) {
        const image = imageOf(record, file.subset)
        if (image) yield { ...image, member: root + image.member }
      }
    }
  }
}

function imageOf(record: JsonRecord, subset: string): DeclaredImage | undefined {
  const { file_name, coco_url } = record
  const size = sizeOf(record)
  const name = typeof file_name === 'string' ? file_name : coco_url
  if (typeof name !== 'string' || !size) return undefined
  return { member: `images/${subset}/${pathsOf(name, subset).at(-1) ?? name}`, ...size }
}
