import { inject } from 'vitest'

/** Before each file of the project `cluster`: it has the servers that no file beside it has. */
Object.assign(process.env, inject('lanes')[Number(process.env.VITEST_POOL_ID) - 1])
