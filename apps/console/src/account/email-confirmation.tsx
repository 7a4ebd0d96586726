import { Link } from 'wouter'
import { Narrow } from './narrow.tsx'

/** Where the link of the mail ends that asks whether an address is somebody's: it was. */
export function EmailConfirmation() {
  return (
    <Narrow title="E-mail confirmed">
      <p>
        Thank you: the address is yours. <Link href="/projects">Sign in</Link>
      </p>
    </Narrow>
  )
}
