import type { FrameManifest } from '../sources/manifest.ts'
import type { SourceFile } from '../sources/source-listing.ts'

/** Files that become frames, and their context images. */
export interface Related {
  frames: SourceFile[]
  of: (frame: SourceFile) => SourceFile[]
  /** Context images that belong to no frame. */
  left: () => SourceFile[]
}

/** Path `<folder>/related_images/<name of a frame, its dots as underscores>/<file>`. */
const place = /^(.*\/)?related_images\/([^/]+)\/[^/]+$/
const isInside = /(^|\/)related_images\//

/** Separates frames from their context images, which are identified by their folder or by a manifest. */
export function relatedTo(files: readonly SourceFile[], manifest?: FrameManifest): Related {
  const named = new Set([...(manifest?.related.values() ?? [])].flat())
  const isRelated = ({ name }: SourceFile) => isInside.test(name) || named.has(name)
  const images = files.filter(isRelated)
  const byFrame = new Map<string, SourceFile[]>()
  const byName = new Map(named.size === 0 ? [] : images.map((one) => [one.name, one]))
  for (const image of images) {
    const [, folder = '', frame = ''] = place.exec(image.name) ?? []
    const key = `${folder}${frame}`
    const others = byFrame.get(key)
    if (others) others.push(image)
    else byFrame.set(key, [image])
  }
  const used = new Set<SourceFile>()
  return {
    frames: images.length === 0 ? [...files] : files.filter((one) => !isRelated(one)),
    of: ({ name }) => {
      if (images.length === 0) return []
      const found = new Set(keysOf(name).flatMap((key) => byFrame.get(key) ?? []))
      for (const one of manifest?.related.get(name) ?? []) {
        const image = byName.get(one)
        if (image) found.add(image)
      }
      for (const one of found) used.add(one)
      return [...found].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    left: () => images.filter((one) => !used.has(one)),
  }
}

/** Returns the folder names for a frame: with the last dot as underscore (as CVAT does), or with all dots. */
function keysOf(name: string): string[] {
  const at = name.lastIndexOf('/') + 1
  const [folder, base] = [name.slice(0, at), name.slice(at)]
  const all = new Set([base.replace(/\.([^.]*)$/, '_$1'), base.replaceAll('.', '_')])
  return [...all].map((one) => `${folder}${one}`)
}
