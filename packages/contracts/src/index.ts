export { restOperations, type Tables, tables } from './api/index.ts'
export type { Operation, Operations } from './api/operation.ts'
export type { Principal } from './rest/principal.ts'
