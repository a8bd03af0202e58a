#!/usr/bin/env bash
# Sourced by the scripts that test: starts MariaDB and Redis when nobody has, and
# ends them with the script.
mariadb='' redis=''
trap 'scripts/mariadb.sh stop "$mariadb"; scripts/redis.sh stop "$redis"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ -z "${EDITOR_ACTIONS_TEST_MYSQL:-}" ]; then
	variables=$(scripts/mariadb.sh start)
	eval "$variables"
	mariadb=$EDITOR_ACTIONS_TEST_MARIADB
fi
if [ -z "${EDITOR_ACTIONS_TEST_REDIS:-}" ]; then
	variables=$(scripts/redis.sh start)
	eval "$variables"
	redis=$EDITOR_ACTIONS_TEST_REDIS_HANDLE
fi
