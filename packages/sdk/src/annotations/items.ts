import type {
  AnnotationSetWrite,
  Shape,
  ShapeWrite,
  Tag,
  TagWrite,
  Track,
  TrackWrite,
} from '../generated/schemas.ts'

/** One object of an annotation set, and the list that it stands in. */
export type SetItem =
  | { kind: 'tags'; object: Tag }
  | { kind: 'shapes'; object: Shape }
  | { kind: 'tracks'; object: Track }

/** The same, to be written. */
export type SetItemWrite =
  | { kind: 'tags'; object: TagWrite }
  | { kind: 'shapes'; object: ShapeWrite }
  | { kind: 'tracks'; object: TrackWrite }

/** A change of one: its id, and what changes of it. */
export type SetItemChange =
  | { kind: 'tags'; object: DeepPartial<TagWrite> }
  | { kind: 'shapes'; object: DeepPartial<ShapeWrite> }
  | { kind: 'tracks'; object: DeepPartial<TrackWrite> }

/** An annotation set to be written: whole, or item by item from wherever they come. */
export type SetWrite = AnnotationSetWrite | Items<SetItemWrite> | Blob
/** A part of one: of objects that are changed or deleted the id, and what changes. */
export type SetChange = DeepPartial<AnnotationSetWrite> | Items<SetItemChange> | Blob

/** Given as a function it may be sent again after a break: it is called for each attempt. */
export type Items<T> = AsyncIterable<T> | Iterable<T> | (() => AsyncIterable<T> | Iterable<T>)

export type DeepPartial<T> = T extends readonly (infer E)[]
  ? DeepPartial<E>[]
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T
