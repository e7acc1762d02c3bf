#!/bin/bash
# Licence.

# Greets.
greet() {
  local name=$1
  echo "hello $name }"
}

function part { echo b; } # second form

function both() (
  cd /tmp
)

SIZE=16
export NAME=x OTHER=y
readonly -a LIST=(1 2 3)
alias ll='ls -l'

if true; then
  conditional() { :; }
  not_listed=1
fi

cat <<EOF
none() { :; }
EOF

outer-one() {
  inner() { :; }
  inner
}

logged() {
  echo x
} >> log.txt
