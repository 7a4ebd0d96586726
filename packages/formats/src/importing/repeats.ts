/** Finds objects that already occur in an earlier file of the same upload. */
import {
  type AttributeValue,
  type DatasetShape,
  type DatasetTag,
  type DatasetTrack,
  type Imported,
  shapeTypes,
} from '../model/dataset.ts'

export interface Repeats {
  /**
   * Returns whether an earlier file has an equal object. Groups are not compared, because each file numbers its own.
   */
  isRepeat(object: Imported, file: string): boolean
}

/** Maximum number of objects to compare, which limits the memory; later ones are not compared. */
const objectsKept = 500_000

export function createRepeats(): Repeats {
  /** Index of the file of an object, by the hash of the object. */
  const owners = new Map<number, number>()
  const files = new Map<string, number>()
  const hash = newHash()
  return {
    isRepeat(object, name) {
      const file = files.get(name) ?? files.size
      files.set(name, file)
      const key = keyOf(object, hash)
      const owner = owners.get(key)
      if (owner === undefined && owners.size < objectsKept) owners.set(key, file)
      return owner !== undefined && owner !== file
    },
  }
}

interface Hash {
  reset(): void
  add(value: number): void
  addText(text: string): void
  /** Returns the hash as an integer of 53 bits. */
  read(): number
}

function newHash(): Hash {
  const float = new Float64Array(1)
  const words = new Uint32Array(float.buffer)
  let [a, b] = [0, 0]
  const add = (value: number): void => {
    float[0] = value + 0 // converts -0 to 0
    a = Math.imul(a ^ (words[0] ?? 0), 0x9e3779b1)
    b = Math.imul(b ^ (words[1] ?? 0), 0x85ebca6b)
    a ^= b >>> 15
    b = (b + Math.imul(a, 0xc2b2ae35)) | 0
  }
  return {
    add,
    reset() {
      a = 1
      b = 2
    },
    addText(text) {
      add(text.length)
      for (let at = 0; at < text.length; at += 1) add(text.charCodeAt(at))
    },
    read: () => (a >>> 0) * 2 ** 21 + (b >>> 11),
  }
}

function keyOf(object: Imported, hash: Hash): number {
  hash.reset()
  if (object.kind === 'shape') addShape(object.shape, hash)
  else if (object.kind === 'tag') addTag(object.tag, hash)
  else addTrack(object.track, hash)
  return hash.read()
}

/** Fields that all kinds share. */
type Common = Pick<DatasetTag, 'frame' | 'label_id' | 'attributes'>

function addTag({ frame, label_id, attributes }: Common, hash: Hash): void {
  hash.add(frame)
  hash.add(label_id)
  addValues(attributes, hash)
}

type Geometry = Pick<
  DatasetShape,
  'type' | 'points' | 'rotation' | 'z_order' | 'occluded' | 'outside'
>

function addGeometry(shape: Geometry, hash: Hash): void {
  hash.add(shapeTypes.indexOf(shape.type))
  hash.add(shape.rotation)
  hash.add(shape.z_order)
  hash.add((shape.occluded ? 1 : 0) + (shape.outside ? 2 : 0))
  hash.add(shape.points.length)
  for (const value of shape.points) hash.add(value)
}

function addShape(shape: DatasetShape, hash: Hash): void {
  addTag(shape, hash)
  addGeometry(shape, hash)
  hash.add(shape.score)
  hash.add(shape.elements.length)
  for (const element of shape.elements) addShape(element, hash)
}

function addTrack(track: DatasetTrack, hash: Hash): void {
  addTag(track, hash)
  hash.add(track.shapes.length)
  for (const shape of track.shapes) {
    hash.add(shape.frame)
    hash.add(shape.keyframe ? 1 : 0)
    addGeometry(shape, hash)
    addValues(shape.attributes, hash)
  }
  hash.add(track.elements.length)
  for (const element of track.elements) addTrack(element, hash)
}

function addValues(values: readonly AttributeValue[], hash: Hash): void {
  hash.add(values.length)
  for (const { spec_id, value } of values) {
    hash.add(spec_id)
    hash.addText(value)
  }
}
