// teller: a message of lockstep's → the person at the terminal. Standard error has it in English. LOCKSTEP_TELL=fd:N
// names a socket instead: at its other end a process translates the messages (grader/launcher/teller.py).
#pragma once

#include <string>

namespace lockstep::runtime {

// marked: the message with the marks of its words (base/words.h). Each line stands behind "lockstep: ".
void tell_person(const std::string& marked);

}  // namespace lockstep::runtime
