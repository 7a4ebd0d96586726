import type { RandomAccess } from '../archive/source.ts'
import type { ConversionRun, DeclaredImage } from '../model.ts'
import { openVoc } from './archive.ts'
import { readItem } from './import.ts'

/** Yields images with the sizes that their documents declare, under the paths that exports use. */
export async function* declaredVocImages(
  source: RandomAccess,
  run: ConversionRun,
): AsyncGenerator<DeclaredImage> {
  for (const tree of await openVoc(source, run))
    for (const item of tree.subsets.flatMap(({ items }) => items)) {
      run.signal.throwIfAborted()
      const { size, filename = '' } = (await readItem(item, tree)) ?? {}
      const [extension = '.jpg'] = /\.[^./]+$/.exec(filename) ?? []
      if (size) yield { member: `${tree.root}JPEGImages/${item.id}${extension}`, ...size }
    }
}
