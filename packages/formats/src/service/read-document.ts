/** Reads `<annotations>`: images and tracks in any order. Only video sizes are taken from the description. */
import { FormatError, type Place } from '../errors.ts'
import { type Context, passedOver } from './context.ts'
import { shapeElements } from './elements.ts'
import { imageContext } from './read-image.ts'
import { describedIn, newNode, nodeContext } from './read-meta.ts'
import { trackContext } from './read-track.ts'
import { failing, placeOf, type Reading } from './reading.ts'

export function documentContext(reading: Reading): Context {
  const annotations: Context = {
    open(name, attributes) {
      const isElement = name === 'image' || name === 'track'
      if (isElement && !reading.frames.isHere(attributes)) return passedOver
      if (name === 'meta') return metaContext(reading)
      if (name === 'image') return imageContext(reading, attributes)
      if (name === 'track') return trackContext(reading, attributes)
      if (shapeElements.has(name) || name === 'tag' || name === 'attribute') {
        throw failing(reading)(`<${name}> outside of an <image> or <track>`)
      }
      return passedOver
    },
    close: () => undefined,
  }
  return annotationsContext(annotations, () => placeOf(reading))
}

/** Reads the sizes of videos. */
function metaContext(reading: Reading): Context {
  const meta = newNode()
  return {
    ...nodeContext(meta, failing(reading)),
    close() {
      const { tasks } = describedIn(meta)
      for (const { id, original } of tasks)
        if (original) reading.videoSizes.set(tasks.length > 1 ? id : '', original)
    },
  }
}

/** Reads a document with the root `annotations`; another root is refused. */
export function annotationsContext(annotations: Context, place: () => Place): Context {
  return rootContext((name) => {
    if (name === 'annotations') return annotations
    const reason = `not a Service file: the root is <${name}>, expected <annotations>`
    throw new FormatError(reason, place())
  })
}

/** Reads only the names of images. */
export function namesContext(take: (name: string) => void): Context {
  const names: Context = {
    open(element, attributes) {
      const name = element === 'image' ? attributes.name : undefined
      if (name !== undefined) take(name)
      return passedOver
    },
    close: () => undefined,
  }
  return rootContext(() => names)
}

function rootContext(open: Context['open']): Context {
  return { open, close: () => undefined }
}
