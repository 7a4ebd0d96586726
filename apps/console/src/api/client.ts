import { createClient } from '@reticle/sdk'

/** The one way to the service: its typed client, with the session that the browser has. */
export const api = createClient({ url: location.origin, cookies: true })
