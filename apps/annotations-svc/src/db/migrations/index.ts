import { annotations } from './0001-annotations.ts'

export const migrations = { '0001-annotations': annotations }
