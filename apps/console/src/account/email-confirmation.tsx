import { Link } from 'wouter'
import { Narrow } from './narrow.tsx'

/** Renders the target page of the link in a confirmation mail, after the address was confirmed. */
export function EmailConfirmation() {
  return (
    <Narrow title="E-mail confirmed">
      <p>
        Thank you: the address is yours. <Link href="/projects">Sign in</Link>
      </p>
    </Narrow>
  )
}
