import { cvat } from './cvat/cvat.ts'
import type { Dialect } from './dialect.ts'

/** Dialects by their names. */
export const dialects: ReadonlyMap<string, Dialect> = new Map([[cvat.name, cvat]])
