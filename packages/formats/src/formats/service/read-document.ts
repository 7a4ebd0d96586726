/** Reads `<annotations>`: images and tracks in any order. Only video sizes are taken from the description. */
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { type ElementReader, ignoredElement } from './element-reader.ts'
import { shapeElements } from './elements.ts'
import { createFail, currentLocation, type ImportState } from './import-state.ts'
import { createImageReader } from './read-image.ts'
import { createNode, createNodeReader, describedIn } from './read-meta.ts'
import { createTrackReader } from './read-track.ts'

export function createDocumentReader(state: ImportState): ElementReader {
  const annotations: ElementReader = {
    open(name, attributes) {
      const isElement = name === 'image' || name === 'track'
      if (isElement && !state.frames.isHere(attributes)) return ignoredElement
      if (name === 'meta') return metaReader(state)
      if (name === 'image') return createImageReader(state, attributes)
      if (name === 'track') return createTrackReader(state, attributes)
      if (shapeElements.has(name) || name === 'tag' || name === 'attribute') {
        throw createFail(state)(`<${name}> outside of an <image> or <track>`)
      }
      return ignoredElement
    },
    close: () => undefined,
  }
  return createAnnotationsReader(annotations, () => currentLocation(state))
}

/** Reads the sizes of videos. */
function metaReader(state: ImportState): ElementReader {
  const meta = createNode()
  return {
    ...createNodeReader(meta, createFail(state)),
    close() {
      const { tasks } = describedIn(meta)
      for (const { id, original } of tasks)
        if (original) state.videoSizes.set(tasks.length > 1 ? id : '', original)
    },
  }
}

/** Reads a document with the root `annotations`; another root is refused. */
export function createAnnotationsReader(
  annotations: ElementReader,
  location: () => ErrorLocation,
): ElementReader {
  return rootReader((name) => {
    if (name === 'annotations') return annotations
    const reason = `not a Service file: the root is <${name}>, expected <annotations>`
    throw new FormatError(reason, location())
  })
}

/** Reads only the names of images. */
export function namesReader(take: (name: string) => void): ElementReader {
  const names: ElementReader = {
    open(element, attributes) {
      const name = element === 'image' ? attributes.name : undefined
      if (name !== undefined) take(name)
      return ignoredElement
    },
    close: () => undefined,
  }
  return rootReader(() => names)
}

function rootReader(open: ElementReader['open']): ElementReader {
  return { open, close: () => undefined }
}
