import { runServiceOps } from '@reticle/kit/ops/service'
import { environment } from '@reticle/kit/settings/config'
import { schema, sealed } from './index.ts'

/** Operator commands for this service in a cluster: `node apps/projects-svc/dist/admin.js`. */
const service = { service: 'projects-svc', schema, sealed }
process.exitCode = await runServiceOps(service, environment, process.argv.slice(2))
